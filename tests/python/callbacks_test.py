"""Python that the interpreter itself calls: classes as they are made, descriptors, imports, exceptions on their way, callbacks of
garbage collection, signals, tracing and the end of the program."""

import asyncio
import atexit
import collections
import contextlib
import contextvars
import copy
import functools
import gc
import itertools
import json
import os
import pickle
import re
import signal
import string
import sys
import threading
import warnings
import weakref

import probe
from probe import check


class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **words):
        check("__prepare__ of a metaclass")
        return {}

    def __new__(mcs, name, bases, names, **words):
        check("__new__ of a metaclass")
        return super().__new__(mcs, name, bases, names)

    def __init__(cls, name, bases, names, **words):
        check("__init__ of a metaclass")

    def __call__(cls, *args):
        check("__call__ of a metaclass")
        return super().__call__(*args)

    def __instancecheck__(cls, other): return check("__instancecheck__") != ""

    def __getattr__(cls, name):
        check("__getattr__ of a class")
        raise AttributeError(name)


class Descriptor:
    def __set_name__(self, owner, name): check("__set_name__")
    def __get__(self, instance, owner): return check("__get__")
    def __set__(self, instance, value): check("__set__")
    def __delete__(self, instance): check("__delete__")


class Base:
    def __init_subclass__(cls, **words): check("__init_subclass__")


def class_decorator(cls):
    check("decorator of a class")
    return cls


def classes():
    @class_decorator
    class Made(Base, metaclass=Meta, word=1):
        check("body of a class")
        value = Descriptor()

        def __new__(cls, *args):
            check("__new__")
            return super().__new__(cls)

        def __init__(self): check("__init__")
        def __getattribute__(self, name): check("__getattribute__"); return object.__getattribute__(self, name)
        def __repr__(self): return check("__repr__")
        def __format__(self, how): return check("__format__")
        def __eq__(self, other): return check("__eq__") != ""
        def __bool__(self): check("__bool__"); return True
        def __contains__(self, item): check("__contains__"); return True
        def __iter__(self): return self
        def __next__(self): check("__next__"); raise StopIteration
        def __index__(self): check("__index__"); return 1
        def __reduce__(self): check("__reduce__"); return (int, ())
        def __missing__(self, key): return check("__missing__")

        @functools.lru_cache(maxsize=None)
        def cached(self): return check("cached method")

        @functools.singledispatch
        def dispatched(argument): return check("singledispatch")

    getattr(Made, "absent", None)
    made = Made()
    isinstance(3, Made)
    made.value
    made.value = 1
    del made.value
    "%r %s" % (made, f"{made:x}")
    made == 1
    1 in made
    list(made)
    [1, 2, 3][made]
    Made.__hash__ = object.__hash__
    Made.dispatched(1)
    if made:
        pass
    pickle.dumps(made)
    copy.copy(made)

    class Missing(dict):
        def __missing__(self, key): return check("__missing__")
    Missing()["x"]
    Missing = collections.defaultdict(lambda: check("factory of a default"))
    Missing["x"]


def library():
    re.sub("a", lambda match: check("function of re.sub"), "banana")
    json.dumps(object(), default=lambda other: check("default of json"))
    json.loads('{"a": 1}', object_hook=lambda found: check("hook of json"))
    list(itertools.starmap(lambda a, b: check("starmap"), [(1, 2)]))
    list(filter(lambda v: check("filter"), [1]))
    max([1, 2], key=lambda v: (check("key of max"), v)[1])
    any(check("any over a generator") for _ in range(1))
    string.Template("$x").substitute(collections.defaultdict(lambda: check("substitute")))
    contextvars.copy_context().run(check, "run of a context")
    iter_until = iter(lambda: (check("iter with a sentinel"), 1)[1], 1)
    list(iter_until)
    with warnings.catch_warnings():
        warnings.showwarning = lambda *what, **words: check("showwarning")
        warnings.simplefilter("always")
        warnings.warn("x")
    with contextlib.ExitStack() as stack:
        stack.callback(check, "callback of an exit stack")


def imports(folder):
    with open(os.path.join(folder, "imported_module.py"), "w", encoding="utf-8") as file:
        file.write("import probe\nprobe.check('module that is imported')\n\n\ndef __getattr__(name):\n"
                   "    return probe.check('__getattr__ of a module')\n")
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    import imported_module
    imported_module.absent
    sys.path.remove(folder)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None): check("finder of modules")
    sys.meta_path.insert(0, Finder)
    with contextlib.suppress(ImportError):
        import no_such_module_anywhere  # noqa: F401
    sys.meta_path.remove(Finder)


def catching():
    try:
        yield 1
    except ValueError:
        check("generator, thrown into")
        yield 2
    finally:
        check("generator, closed")


class Awaitable:
    def __await__(self):
        check("__await__")
        yield from asyncio.sleep(0).__await__()


async def numbers():
    for number in range(2):
        yield number


async def tasks():
    [check("asynchronous comprehension") async for _ in numbers()]
    await Awaitable()
    loop = asyncio.get_running_loop()
    loop.call_soon(check, "call_soon")
    future = loop.create_future()
    future.add_done_callback(lambda done: check("callback of a future"))
    future.set_result(1)
    await future
    await asyncio.gather(*[asyncio.ensure_future(nap(number)) for number in range(3)])
    await loop.run_in_executor(None, check, "executor of a loop")
    await asyncio.sleep(0)


async def nap(number):
    await asyncio.sleep(0)
    check("task")


def generators():
    thrown = catching()
    next(thrown)
    thrown.throw(ValueError())
    thrown.close()
    asyncio.run(tasks())


class Cycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        check("__del__ by garbage collection")


def interpreter():
    weak = {1}
    reference = weakref.ref(Base(), lambda dead: check("callback of a weak reference"))
    del reference, weak
    gc.callbacks.append(collecting)
    Cycle()
    gc.collect()
    gc.callbacks.remove(collecting)
    signal.signal(signal.SIGUSR1, lambda number, frame: check("signal handler"))
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(1000):
        pass
    try:
        exec("raise KeyError")
    except KeyError as error:
        probe.require(error.__traceback__ is not None, "no traceback")
        check("except around exec")
    thread = threading.Timer(0, check, ["timer"])
    thread.start()
    thread.join()
    if sys.version_info >= (3, 10):
        exec("match [1, 2]:\n  case [a, b] if check('guard of a case'): check('case')", {"check": check})
    if sys.version_info >= (3, 11):
        exec("try: raise ExceptionGroup('g', [ValueError()])\nexcept* ValueError: check('except*')", {"check": check})
    if sys.version_info >= (3, 12):
        exec("type A[T] = check('value of a type alias')\nA.__value__\ndef f[T: check('bound of a type')](): pass\n"
             "f.__type_params__[0].__bound__", {"check": check})


def collecting(phase, info):
    check("callback of garbage collection, " + phase)


def watched(number):
    for i in range(number):
        check("traced function")
    return [i for i in range(number)]


def tracing():
    """The interpreter runs other instructions in functions that are watched."""
    def trace(frame, event, argument):
        if event == "line" and frame.f_code is watched.__code__ and not busy:
            busy.append(1)
            check("trace function")
            busy.pop()
        return trace
    busy = []
    sys.settrace(trace)
    watched(3)
    sys.settrace(None)

    def profile(frame, event, argument):
        if not busy and frame.f_code is watched.__code__:
            busy.append(1)
            check("profile function")
            busy.pop()
    sys.setprofile(profile)
    watched(3)
    sys.setprofile(None)
    if sys.version_info >= (3, 12):
        monitoring = sys.monitoring
        monitoring.use_tool_id(3, "test")
        monitoring.register_callback(3, monitoring.events.LINE, lambda code, line: (check("monitor of lines"), None)[1])
        monitoring.register_callback(3, monitoring.events.INSTRUCTION, lambda code, at: (check("monitor of instructions"), None)[1])
        monitoring.set_local_events(3, watched.__code__, monitoring.events.LINE | monitoring.events.INSTRUCTION)
        watched(3)
        monitoring.free_tool_id(3)
    watched(3)


if __name__ == "__main__":
    import tempfile
    classes()
    library()
    with tempfile.TemporaryDirectory() as made:
        imports(made)
    generators()
    interpreter()
    tracing()
    probe.require(len(probe.checked) >= 60, "only %d kinds" % len(probe.checked))
    print("%s: %d kinds of frame, %d stacks equal" % (probe.version(), len(probe.checked), sum(probe.checked.values())), flush=True)
    atexit.register(check, "atexit")
