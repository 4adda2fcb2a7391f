"""Every kind of frame: what is captured without the GIL equals what the interpreter says of itself."""

import asyncio
import contextlib
import functools
import os
import sys
import threading
import ctypes

import probe
from probe import check, checked


def run(source, name, **names):
    exec(compile(source, name, "exec"), dict(names, check=check))


class Thing:
    def method(self): check("method")
    @staticmethod
    def static(): check("static method")
    @classmethod
    def of_class(cls): check("class method")
    @property
    def prop(self): return check("property")
    def __call__(self): check("__call__")
    def __len__(self): check("__len__"); return 1
    def __getattr__(self, name): return check("__getattr__")
    def __getitem__(self, key): return check("__getitem__")
    def __add__(self, other): return check("__add__")
    def __iter__(self):
        check("__iter__ generator")
        yield 1
    def __enter__(self): check("__enter__")
    def __exit__(self, *error): check("__exit__")
    def __lt__(self, other): check("comparison in sort"); return False
    def __hash__(self): check("__hash__"); return 7
    def __del__(self): check("__del__")


class Derived(Thing):
    def method(self):
        super().method()
        check("method through super")

    class Inner:
        def method(self):
            def local():
                check("function in a method of a nested class")
            local()


def nested(depth):
    if depth:
        return nested(depth - 1)
    check("recursion")


def generator():
    check("generator, first part")
    yield 1
    check("generator, second part")
    yield 2


def delegating():
    yield from generator()


def receiving():
    while True:
        value = yield
        if value is None:
            return
        check("generator resumed by send")


async def coroutine():
    check("coroutine")
    await asyncio.sleep(0)
    check("coroutine, resumed")


async def asynchronous_generator():
    check("asynchronous generator")
    yield 1


class AsyncThing:
    async def __aenter__(self): check("__aenter__")
    async def __aexit__(self, *error): check("__aexit__")


async def asynchronous():
    await coroutine()
    async for _ in asynchronous_generator():
        check("body of async for")
    async with AsyncThing():
        check("body of async with")
    await asyncio.gather(coroutine(), coroutine())


def decorator(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@decorator
def decorated(*args, **kwargs):
    check("decorated")


@contextlib.contextmanager
def context():
    check("context manager, before")
    yield
    check("context manager, after")


def plain_frames():
    check("function")
    thing = Derived()
    thing.method()
    Thing.static()
    Thing.of_class()
    thing()
    len(thing)
    thing.prop
    thing.absent
    thing[0]
    thing + 1
    list(thing)
    hash(thing)
    sorted([thing, Derived()])
    Derived.Inner().method()
    with thing:
        check("body of with")
    del thing
    nested(5)
    nested(60)
    nested(200)
    decorated(1, two=2)
    with context():
        check("body of a context manager")
    functools.partial(check, "partial")()


def expressions():
    (lambda: check("lambda"))()
    [check("list comprehension") for _ in range(2)]
    {check("set comprehension") for _ in range(2)}
    {k: check("dict comprehension") for k in range(2)}
    [[check("nested comprehension") for _ in range(2)] for _ in range(2)]
    list(check("generator expression") for _ in range(2))
    sorted([3, 1, 2], key=lambda v: (check("key of sort"), v)[1])
    list(map(lambda v: check("map"), [1, 2]))
    functools.reduce(lambda a, b: check("reduce"), [1, 2, 3])
    decorated(1,
              2, three=[i for i in range(3)
                        ],
              four=check(
                  "call over several lines"))
    x = (1 if check("conditional expression") else
         2)
    assert check("assert"), x


def generators():
    for _ in generator():
        pass
    list(delegating())
    sink = receiving()
    next(sink)
    sink.send(1)
    sink.close()
    (asyncio.run)(asynchronous())


def compiled():
    run("check('exec')\n\n\ndef f():\n  x = 1\n  return check('function of exec')\nf()", "<dynamic>")
    run("\n" * 3000 + "def g():\n  check('3,000 lines down')\ng()\n", "far.py")
    run("def g():\n  check('UCS-1 file name')\ng()\n", "caf\u00e9.py")
    run("def g():\n  check('UCS-2 file name')\ng()\n", "\u4e2d\u6587.py")
    run("def g():\n  check('UCS-4 file name')\ng()\n", "\u4e2d_\U0001F600.py")
    run("def g():\n  check('file name that is not UTF-8')\ng()\n", "bad_\udcff.py")
    run("def gr\u00fc\u00dfe():\n  check('UCS-1 function')\ngr\u00fc\u00dfe()\n", "f.py")
    run("def \u8bad\u7ec3():\n  check('UCS-2 function')\n\u8bad\u7ec3()\n", "f.py")
    run("class A:\n  check('class body')\n", "class.py")
    eval(compile("check('eval')", "<eval>", "eval"), {"check": check})
    many = "".join("  v%d = n + %d\n" % (i, i) for i in range(400))
    run("def big(n):\n" + many + "  check('800-line function')\n" + many +
        "  return check('800-line function')\nbig(1)\n", "big.py")
    huge = "".join("  v%d = n * %d + max(n, %d, n)\n" % (i, i, i) for i in range(1500))
    run("def huge(n):\n" + huge + "  check('3,000-line function')\n" + huge + "huge(1)\n", "huge.py")
    run("def back():\n  for i in range(3):\n    if i: check('loop, backwards jump')\nback()", "b.py")


def flow():
    try:
        raise ValueError
    except ValueError:
        check("except")
    finally:
        check("finally")
    try:
        try:
            raise KeyError
        finally:
            check("finally on the way out")
    except KeyError:
        pass
    for i in range(300):  # until the interpreter specialises
        if i in (0, 10, 100, 299):
            check("warm loop")
    while True:
        check("while")
        break


def threads():
    for target in (nested, lambda n: check("thread, lambda")):
        many = [threading.Thread(target=target, args=(n,)) for n in range(4)]
        for t in many:
            t.start()
        for t in many:
            t.join()


def callbacks(depth=3):
    if depth == 0:
        return check("ctypes callback")
    ctypes.CFUNCTYPE(None)(lambda: callbacks(depth - 1))()


def nothing_to_tell():
    probe.lib.probe_set_recording(0)
    probe.require(probe.lib.probe_stack_id() == 0, "captured although nothing is recorded")
    probe.lib.probe_set_recording(1)
    probe.lib.probe_set_stacks(0)
    probe.require(probe.lib.probe_stack_id() == probe.lib.probe_native_stack_id() == 0, "captured although switched off")
    probe.lib.probe_set_stacks(1)
    probe.require(probe.lib.probe_errno() == 0, "errno changed")
    first = [probe.lib.probe_stack_id() for _ in range(3)]
    probe.require(len(set(first)) == 1 and first[0] != 0, "one place, several ids")
    probe.lib.probe_set_full(1)
    probe.require(probe.lib.probe_stack_id() == 0, "an id without room for a definition")
    probe.lib.probe_set_full(0)


check("module")
plain_frames()
expressions()
generators()
compiled()
flow()
threads()
callbacks()
nothing_to_tell()
probe.require(probe.setting("python.version") == probe.version(), "python.version " + probe.setting("python.version"))
probe.require(probe.setting("python.capture") == "on " + probe.version(), probe.setting("python.capture"))
probe.require(len(checked) >= 49, "only %d kinds" % len(checked))
print("%s: %d kinds of frame, %d stacks equal" % (probe.version(), len(checked), sum(checked.values())))
