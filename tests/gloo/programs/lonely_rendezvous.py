"""WORLD_SIZE is one too large: the ranks wait in the store until they are killed, which they do themselves once both are in."""

import os
import signal
import sys
import threading
import time

import torch.distributed as dist

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "e2e"))
from trace_rows import rows_by_operation  # noqa: E402  (a witness that shares no code with the recorder)

RENDEZVOUS = 30  # trace.proto

RANK, FOLDER = int(os.environ["RANK"]), os.environ["ROLLCALL_TEST_FOLDER"]


def end_when_both_are_in():
    deadline = time.monotonic() + 50
    while time.monotonic() < deadline and not all(os.path.exists(mark(rank)) for rank in (0, 1)):
        if recorded():
            open(mark(RANK), "w").close()
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGKILL)


def mark(rank):
    return os.path.join(FOLDER, "in.%d" % rank)


def recorded():
    traces = [name for name in os.listdir(FOLDER) if ".%d." % os.getpid() in name and name.endswith(".rollcall")]
    try:
        return bool(traces) and rows_by_operation(os.path.join(FOLDER, traces[0]))[RENDEZVOUS] > 0
    except (ValueError, KeyError, IndexError):
        return False  # read while a definition was written


threading.Thread(target=end_when_both_are_in, daemon=True).start()
dist.init_process_group("gloo")
