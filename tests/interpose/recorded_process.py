"""Runs programs with and without a preloaded library, and reads what their traces say. For the tests of this folder.

Programs and libraries of the build tree are named by environment variables that CMakeLists.txt sets.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from typing import NamedTuple

LIBROLLCALL = os.environ["ROLLCALL_TEST_LIBROLLCALL"]
RECORDING_LIBRARY = os.environ["ROLLCALL_TEST_RECORDING_LIBRARY"]
PROGRAMS = os.environ["ROLLCALL_TEST_PROGRAMS"]
DEADLINE_SECONDS = 30


class Result(NamedTuple):
    status: int
    output: bytes
    errors: bytes


def executable_of(candidate):
    """The interpreter behind a name, which may be a script that chooses one; None where there is none."""
    try:
        done = subprocess.run([candidate, "-c", "import os, sys; print(os.path.realpath(sys.executable))"], timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return done.stdout.decode().strip() if done.returncode == 0 else None


@functools.lru_cache(maxsize=None)
def pythons():
    """Interpreters to test with: those in the path, or ROLLCALL_TEST_PYTHONS (separated by colons)."""
    named = os.environ.get("ROLLCALL_TEST_PYTHONS", "")
    candidates = named.split(":") if named else [sys.executable, "/usr/bin/python3"] + [
        "python3.%d" % minor for minor in range(8, 15)]
    found = []
    for executable in map(executable_of, candidates):
        if executable and executable not in found:
            found.append(executable)
    return found


class RecordedProcessTest(unittest.TestCase):
    """Gives every test a folder of its own for traces (self.traces) and one to work in (self.work)."""

    program_seconds = 120

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rollcall-test-")
        self.traces = os.path.join(self.folder, "traces")
        self.work = os.path.join(self.folder, "work")
        self.temporary = os.path.join(self.folder, "tmp")
        for folder in (self.traces, self.work, self.temporary):
            os.mkdir(folder)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def environment(self, preload, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("ROLLCALL_") and name not in ("LD_PRELOAD", "PYTHONHOME")}
        environment.update(ROLLCALL_DIR=self.traces, TMPDIR=self.temporary, PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8")
        if preload:
            environment["LD_PRELOAD"] = preload
        environment.update(settings)
        return environment

    def run_program(self, command, preload=None, **settings):
        done = subprocess.run(command, env=self.environment(preload, **settings), cwd=self.work, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=self.program_seconds)
        return Result(done.returncode, done.stdout, done.stderr)

    def start_program(self, command, preload, **settings):
        process = subprocess.Popen(command, env=self.environment(preload, **settings), cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def trace_files(self):
        return sorted(os.path.join(self.traces, name) for name in os.listdir(self.traces))

    def forget_traces(self):
        for trace in self.trace_files():
            os.unlink(trace)

    def only_trace(self):
        files = self.trace_files()
        self.assertEqual(len(files), 1, files)
        return files[0]

    def end_of(self, trace):
        done = subprocess.run([os.path.join(PROGRAMS, "end_of_trace"), trace], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode().strip()

    def wait_for(self, condition, what):
        deadline = time.monotonic() + DEADLINE_SECONDS
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        return self.fail("waited in vain: " + what)


def decode(trace):
    """The trace as protoc's text: libprotobuf is the referee of what was written."""
    protoc = os.environ["ROLLCALL_TEST_PROTOC"]
    schema = os.environ["ROLLCALL_TEST_SCHEMA"]
    with open(trace, "rb") as file:
        data = file.read()
    done = subprocess.run([protoc, "--proto_path=" + schema, "--decode=rollcall.Trace", "trace.proto"], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode()


def messages(text, name):
    """Bodies of the messages called `name` in protoc's text, in order, as lists of (field, value) of their scalar fields."""
    found = []
    for block in re.finditer(r"^( *)%s \{\n(.*?)^\1\}" % name, text, re.S | re.M):
        found.append([(field, value) for field, value in re.findall(r"^ *(\w+): (.*)$", block.group(2), re.M) if field != "pad"])
    return found


def unquote(value):
    """protoc's quoted bytes as text."""
    return value[1:-1].encode("latin-1").decode("unicode_escape").encode("latin-1").decode()


def events(trace):
    """Events of a trace as dictionaries; data as text."""
    found = []
    for fields in messages(decode(trace), "event"):
        event = dict(fields)
        event["data"] = unquote(event.get("data", '""'))
        found.append(event)
    return found


def python_stacks(trace):
    """Id of each Python stack: names of its functions, innermost first."""
    text = decode(trace)
    functions = {}
    for code in messages(text, "code"):
        fields = dict(code)
        functions[fields["id"]] = unquote(fields.get("function", '""'))
    stacks = {}
    for stack in messages(text, "python_stack"):
        stacks[dict(stack)["id"]] = [functions.get(value, "?") for field, value in stack if field == "code"]
    return stacks
