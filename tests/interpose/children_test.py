"""Children of a process that records: forked, vforked, spawned. They start clean, and the parent's trace is the parent's alone."""
import os
import unittest

from recorded_process import PROGRAMS, RECORDING_LIBRARY, RecordedProcessTest, pythons

ENDS = os.path.join(PROGRAMS, "ends_without_python")

RECORD = """
import ctypes
library = ctypes.CDLL(None)
record = getattr(library, 'rollcall_test_barrier', lambda: 0)
assert record() == 0
"""


class ChildrenTest(RecordedProcessTest):

    def compare(self, command, end="exit 0"):
        plain = self.run_program(command)
        recorded = self.run_program(command, RECORDING_LIBRARY)
        self.assertEqual(recorded, plain)
        self.assertEqual(self.end_of(self.only_trace()), end)
        return plain

    def compare_python(self, program):
        for python in pythons():
            with self.subTest(python=python):
                self.forget_traces()
                # From 3.12 on fork warns in a process of more than one thread, which ours has as any rank has.
                self.compare([python, "-W", "ignore::DeprecationWarning", "-c", RECORD + program])

    def test_64_forked_children_end_as_they_do_and_write_nothing(self):
        result = self.compare([ENDS, "forks"])
        self.assertEqual(len(result.output.splitlines()), 64)

    def test_a_vforked_child_that_finds_no_program_leaves_the_parent_alone(self):
        self.compare([ENDS, "vfork"])

    def test_spawned_programs_end_as_they_do(self):
        self.compare([ENDS, "spawn"])

    def test_children_inherit_no_descriptor(self):
        self.compare([ENDS, "descriptors"])

    def test_a_missing_program_fails_as_it_does(self):
        self.compare_python("""
import subprocess
for arguments in (dict(), dict(close_fds=False), dict(start_new_session=True), dict(shell=True)):
    try:
        print(subprocess.run(['/no/such/program'], stderr=subprocess.PIPE, **arguments))
    except OSError as error:
        print(type(error), error, error.errno)
print(subprocess.run(['sh', '-c', 'exit 3']).returncode)
""")

    def test_64_children_of_python_end_as_they_do(self):
        self.compare_python("""
import os, signal, sys
for number in range(64):
    child = os.fork()
    if child == 0:
        if number % 4 == 0: os._exit(number)
        if number % 4 == 1: os.kill(os.getpid(), signal.SIGTERM)
        if number % 4 == 2: sys.stderr = open(os.devnull, 'w'); raise ValueError('of the child')
        sys.exit(number)
    print(number, os.waitpid(child, 0)[1])
""")

    def test_workers_of_multiprocessing_end_as_they_do(self):
        self.compare_python("""
import multiprocessing, os
def work(number):
    return number * number
with multiprocessing.get_context('fork').Pool(3) as pool:
    print(pool.map(work, range(20)))
process = multiprocessing.get_context('fork').Process(target=os._exit, args=(7,))
process.start(); process.join(); print(process.exitcode)
""")

    def test_a_child_that_makes_a_call_has_a_trace_of_its_own(self):
        python = pythons()[0]
        self.run_program([python, "-c", RECORD + """
import os
child = os.fork()
if child == 0:
    assert record() == 0
    os._exit(9)
os.waitpid(child, 0)
"""], RECORDING_LIBRARY)
        self.assertEqual(sorted(map(self.end_of, self.trace_files())), ["exit 0", "quick 9"])


if __name__ == "__main__":
    unittest.main()
