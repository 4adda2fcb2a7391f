"""A thread that holds the GIL waits for a thread that captures: it comes back. Also: a forked child captures anew, and stacks end
with the interpreter."""

import ctypes
import os
import sys
import threading

import probe

holder = ctypes.PyDLL(os.environ["ROLLCALL_PROBE"])  # PyDLL keeps the GIL over the call
probe.require(probe.lib.probe_stack_id() != 0, "no stack")
for _ in range(20):
    probe.require(holder.probe_wait_for_capture() == 0, "the capture waits for the GIL")


def child_captures():
    # The child's recorder begins anew: so must the ids. (The memory recorder itself survives a fork; what counts is that the
    # stack is defined again.)
    stacks = probe.lib.probe_count(1)
    identity = probe.lib.probe_stack_id()
    out = probe.buffer()
    probe.lib.probe_describe(identity, out, len(out))
    frames, _ = probe.parse(out.value)
    return identity == stacks + 1 and frames[0][2] == "child_captures" and probe.lib.probe_errno() == 0


def both():
    first = probe.lib.probe_stack_id()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if child_captures() else 1)
    probe.require(os.waitpid(pid, 0)[1] == 0, "the forked child")
    probe.require(probe.lib.probe_stack_id() != 0 and first != 0, "the parent after fork")


both()
inside = threading.Thread(target=both)
inside.start()
inside.join()

# A daemon thread captures on and on while the interpreter ends.
def on_and_on():
    while True:
        probe.lib.probe_stack_id()
        probe.lib.probe_native_stack_id()


for _ in range(3):
    threading.Thread(target=on_and_on, daemon=True).start()
print("%s: no deadlock, fork is clean" % probe.version())
sys.stdout.flush()
