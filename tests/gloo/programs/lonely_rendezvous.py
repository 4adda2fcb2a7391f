"""WORLD_SIZE is one too large: the ranks wait in the store until they are killed, which one of them does once both
are in. (Where the server waits in the constructor of the store, it holds the GIL: its own threads can't do it.)"""

import os
import signal
import sys
import threading
import time

import torch.distributed as dist

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "e2e"))
from trace_rows import rows_by_operation  # noqa: E402  (a witness that shares no code with the recorder)

RENDEZVOUS = 30  # trace.proto
FOLDER = os.environ["ROLLCALL_TEST_FOLDER"]


def recorded():
    """Process id -> calls that it has made."""
    calls = {}
    for name in os.listdir(FOLDER):
        if not name.endswith(".rollcall"):
            continue
        try:
            rows = rows_by_operation(os.path.join(FOLDER, name))
        except (ValueError, KeyError, IndexError):
            continue  # read while a definition was written
        if rows[RENDEZVOUS] > 0:
            calls[int(name.split(".")[-3])] = sum(rows.values())
    return calls


def end_when_both_are_in():
    deadline = time.monotonic() + 50
    seen = {}
    while len(seen) < 2 and time.monotonic() < deadline:
        before = recorded()
        time.sleep(0.3)
        if before == recorded():  # nobody goes on
            seen = before
    for pid in set(seen) - {os.getpid()}:
        os.kill(pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


threading.Thread(target=end_when_both_are_in, daemon=True).start()
dist.init_process_group("gloo")
