"""Threads, garbage collection, exec and generators for a few seconds: every stack that is captured is the one the interpreter has."""

import ctypes
import gc
import random
import sys
import threading
import time

import probe

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
counts = []


def check(kind):
    if sys.is_finalizing():
        return  # nothing is captured any more
    out = ctypes.create_string_buffer(1 << 14)  # __del__ can come in between: no buffer in common
    size = len(out)
    probe.lib.probe_stack(out, size); want = probe.expected(sys._getframe())
    got, _ = probe.parse(out.value)
    counts.append(1)
    if got == want:
        return
    # Python hides frames that have not begun; garbage collection can call __del__ above such a one. We see it.
    left = iter(got)
    if not any(f[2].endswith("__del__") for f in want) or not all(frame in left for frame in want):
        probe.fail("%s: captured %s, expected %s" % (kind, got[:4], want[:4]))


class Cycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        check("__del__")


class Context:
    def __enter__(self):
        check("__enter__")

    def __exit__(self, *error):
        check("__exit__")


def recursion(depth):
    return check("recursion") if depth == 0 else recursion(depth - 1)


def generator(depth):
    if depth:
        yield from generator(depth - 1)
    check("generator")
    yield depth


def work():
    for turn in range(20):
        recursion(random.randrange(12))
        list(generator(4))
        Cycle()
        with Context():
            exec("\n" * turn + "check('exec')", {"check": check})
        try:
            raise ValueError
        except ValueError:
            check("except")
        sorted(range(3), key=lambda v: (check("key"), v)[1])


callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: (recursion(3), 0)[1])
libc = ctypes.CDLL(None)


def native_thread():
    """A thread that Python did not start calls into Python."""
    thread = ctypes.c_ulong()
    start = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: (recursion(2), None)[1])
    libc.pthread_create(ctypes.byref(thread), None, start, None)
    libc.pthread_join(thread, None)


sys.setswitchinterval(1e-4)
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    threads = [threading.Thread(target=work) for _ in range(6)] + [threading.Thread(target=native_thread)]
    for thread in threads:
        thread.start()
    gc.collect()
    callback()
    for thread in threads:
        thread.join()
probe.require(len(counts) > 1000, "only %d captures" % len(counts))
print("%s: %d captures equal, %d stacks, %d code objects" % (probe.version(), len(counts), probe.lib.probe_count(1), probe.lib.probe_count(0)))
