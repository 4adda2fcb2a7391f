"""Access to the probe library, and what the interpreter itself says of a stack: the truth the tests compare with."""

import ctypes
import os
import sys
import threading

lib = ctypes.CDLL(os.environ["ROLLCALL_PROBE"])
lib.probe_bench.restype = ctypes.c_double
_local = threading.local()


def buffer():
    if not hasattr(_local, "buffer"):
        _local.buffer = ctypes.create_string_buffer(1 << 18)
    return _local.buffer


def parse(text):
    """[(file, line, function)] and whether there were more."""
    lines = text.decode("utf-8").split("\n")
    frames = [line.split("\t") for line in lines if "\t" in line]
    return [(f[0], int(f[1]), f[2]) for f in frames], lines[-1] == "..."


def text_of(name):
    """As a trace says it: lone surrogates replaced."""
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in name)


def expected(frame):
    out = []
    while frame is not None:
        code = frame.f_code
        name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
        out.append((text_of(code.co_filename), frame.f_lineno, text_of(name)))
        frame = frame.f_back
    return out


def setting(name):
    out = buffer()
    lib.probe_setting(name.encode(), out, len(out))
    return out.value.decode()


def version():
    return "%d.%d.%d" % sys.version_info[:3]


def fail(why):
    print("FAILED:", why, flush=True)
    os._exit(1)


def require(condition, why):
    if not condition:
        fail(why)


checked = {}


def check(kind):
    """Whether the stack captured here is the one that the interpreter says. Returns `kind`."""
    out = buffer()
    size = len(out)
    # One line, so that this frame's line is the same in both.
    lib.probe_stack(out, size); want = expected(sys._getframe())
    got, truncated = parse(out.value)
    checked[kind] = checked.get(kind, 0) + 1
    if got != want[:128] or truncated != (len(want) > 128):
        for g, w in zip(got + [None] * len(want), want):
            if g != w:
                print("  captured", g, "expected", w)
        fail("%s: %d frames captured, %d expected" % (kind, len(got), len(want)))
    return kind
