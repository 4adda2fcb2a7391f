"""Subinterpreters. From 3.12 on a thread's frames are those of the interpreter that it is in; before, those of the first one on this
thread, which stand still meanwhile. Code objects of one after the other at one address are told apart."""

import os
import sys
import threading

import probe

try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        print("%s: SKIPPED: no subinterpreters" % probe.version())
        sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
PROBE = "import sys; sys.path.insert(0, %r); import probe\n" % HERE
SEES_ITSELF = sys.version_info >= (3, 12)


def create():
    try:
        return interpreters.create("legacy")  # 3.13 and later: isolated ones cannot load every module
    except TypeError:
        try:
            return interpreters.create(isolated=False)
        except TypeError:
            return interpreters.create()


def run(interpreter, source):
    error = interpreters.exec(interpreter, source) if hasattr(interpreters, "exec") else interpreters.run_string(interpreter, source)
    probe.require(error is None, str(error))


INSIDE = PROBE + """
def inside():
    if %r:
        return probe.check("subinterpreter")
    out = probe.buffer()
    probe.lib.probe_stack(out, len(out))
    names = [frame[2] for frame in probe.parse(out.value)[0]]
    probe.require(names[:2] == ["run", "at_once"] and "inside" not in names, "frames of the first interpreter: %%s" %% names)
inside()
[inside() for _ in range(2)]
""" % SEES_ITSELF


def at_once():
    interpreter = create()
    probe.check("before")
    run(interpreter, INSIDE)
    probe.check("behind")
    interpreters.destroy(interpreter)


def one_after_the_other(count):
    """Each begins to count the versions of its code objects anew, and takes memory that its predecessor gave back."""
    for number in range(count):
        interpreter = create()
        run(interpreter, PROBE + "def function_%d():\n    probe.check('code %d')\nfunction_%d()\n" % (number, number, number))
        interpreters.destroy(interpreter)


at_once()
thread = threading.Thread(target=at_once)
thread.start()
thread.join()
if SEES_ITSELF:
    one_after_the_other(30)
print("%s: %s" % (probe.version(), "its own frames" if SEES_ITSELF else "frames of the first interpreter"), flush=True)
