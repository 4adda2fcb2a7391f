"""A helper thread sees where every Python thread is: threads that wait stably, threads that run without inventing frames."""

import os
import sys
import threading

import probe

stop = threading.Event()
ready = threading.Barrier(4)
known = set()


def waits_here():
    ready.wait()
    stop.wait()


def leaf(n):
    return sum(range(5)) if n == 0 else leaf(n - 1)


def runs_here():
    ready.wait()
    while not stop.is_set():
        leaf(8)
        [x for x in range(3)]


def snapshot():
    out = probe.buffer()
    probe.lib.probe_snapshot(out, len(out))
    threads = []
    for part in out.value.decode().split("\n\n"):
        if not part.strip():
            continue
        head, _, rest = part.strip("\n").partition("\n")
        tid, stable = head.split()
        threads.append((int(tid), stable == "1", probe.parse((rest + "\n").encode())[0]))
    return threads


waiter = threading.Thread(target=waits_here)
runners = [threading.Thread(target=runs_here) for _ in range(2)]
for thread in [waiter] + runners:
    thread.start()
ready.wait()
tids = {t.native_id for t in [waiter] + runners}
sys.setswitchinterval(1e-5)

# One that waits: at its place, whenever. Others run: what is seen of them are functions of this program and of threading.
stable = 0
for _ in range(500):
    threads = snapshot()
    probe.require(len(threads) == 4, "%d threads" % len(threads))
    probe.require(threads[0][0] == os.getpid(), "the main thread is not first")
    probe.require({t[0] for t in threads[1:]} == tids, "thread ids %s, expected %s" % (threads, tids))
    for tid, is_stable, frames in threads:
        stable += is_stable
        for file, line, function in frames:
            probe.require(os.path.basename(file) in ("snapshot_test.py", "threading.py", "probe.py") and function,
                          "a frame that is none: %s:%d %s" % (file, line, function))
    main = threads[0][2]
    probe.require(threads[0][1] and main[-1][2] == "<module>" and main[0][2] == "snapshot", "the main thread: %s" % main)
    at = [frames for tid, _, frames in threads if tid == waiter.native_id][0]
    probe.require(any(f[2] == "waits_here" for f in at), "the waiting thread: %s" % at)

# In a forked child only the forking thread is left; its ids are its own.
pid = os.fork()
if pid == 0:
    threads = snapshot()
    is_right = [t[0] for t in threads] == [os.getpid()] and threads[0][2][-1][2] == "<module>"
    if not is_right:
        print("child:", threads, flush=True)
    os._exit(0 if is_right else 1)
probe.require(os.waitpid(pid, 0)[1] == 0, "the forked child")
stop.set()
for thread in [waiter] + runners:
    thread.join()
print("%s: 500 snapshots, %d of 2000 threads stood still" % (probe.version(), stable))
