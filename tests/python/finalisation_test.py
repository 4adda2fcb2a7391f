"""Captures while the interpreter ends, and behind its end: never a crash, and nothing that is not so. Every case is a process of its
own, which ends as Python ends it. finalisation_test.py [ROUNDS]"""

import atexit
import ctypes
import os
import subprocess
import sys
import threading

import probe

lib = probe.lib
EXPECTED = {"threads": "", "objects": "", "handlers": "atexit\n", "behind": "after the interpreter: 0\n"}


def stay_in_c(milliseconds):
    lib.probe_capture_for(milliseconds)


class Slow:
    """Goes with its module, late: threads have half a second of an interpreter that is ending."""
    capture = lib.probe_capture_for
    stack = lib.probe_stack_id

    def __del__(self):
        self.stack()
        self.capture(500)


def threads():
    """Daemon threads in C code, some whose thread state Python made, and one that C made, while Python ends around them."""
    for milliseconds in (100, 400, 5000):
        threading.Thread(target=stay_in_c, args=(milliseconds,), daemon=True).start()
    begun = threading.Event()
    callback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: (begun.set(), stay_in_c(5000))[1])
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(callback))  # the thread outlives every other reference
    thread = ctypes.c_ulong()
    ctypes.CDLL(None).pthread_create(ctypes.byref(thread), None, callback, None)
    begun.wait()
    sys.modules["kept"] = Slow()


def objects():
    class Last:
        def __del__(self, stack=lib.probe_stack_id):
            stack()
    for name in range(100):
        sys.modules["kept %d" % name] = Last()
    globals()["last"] = Last()


def handlers():
    def handler():
        probe.check("atexit")
        print("atexit", flush=True)
    atexit.register(handler)


def behind():
    probe.require(lib.probe_stack_id() != 0, "no stack before")
    lib.probe_capture_at_exit()
    for _ in range(3):
        threading.Thread(target=stay_in_c, args=(5000,), daemon=True).start()


if sys.argv[1:] and sys.argv[1] in EXPECTED:
    globals()[sys.argv[1]]()
    sys.exit(0)
rounds = int(sys.argv[1]) if sys.argv[1:] else 1
for mode, expected in EXPECTED.items():
    for _ in range(rounds):
        done = subprocess.run([sys.executable, os.path.abspath(__file__), mode], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60)
        probe.require((done.returncode, done.stdout.decode(), done.stderr.decode()) == (0, expected, ""),
                      "%s: status %d, printed %s %s" % (mode, done.returncode, done.stdout, done.stderr.decode()[-500:]))
print("%s: %d ends" % (probe.version(), rounds * len(EXPECTED)))
