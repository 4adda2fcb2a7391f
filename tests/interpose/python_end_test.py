"""Python programs that record end, handle signals and report faults as they do without the recorder."""
import os
import signal
import subprocess
import unittest

from recorded_process import PROGRAMS, RECORDING_LIBRARY, RecordedProcessTest, events, python_stacks, pythons

RECORD = """
import ctypes, faulthandler, os, signal, sys
library = ctypes.CDLL(None)
def record():
    assert getattr(library, 'rollcall_test_barrier', lambda: 0)() == 0
"""


def library_of(python):
    """The libpython of an interpreter; None where it is linked statically."""
    code = "import sysconfig as s; print('%s/%s' % (s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')))"
    path = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    return path if ".so" in path and os.path.exists(path) else None


class PythonEndTest(RecordedProcessTest):

    def check(self, program, end, status):
        """Runs under every Python with and without the recorder; the trace says `end`. Returns the last trace."""
        for python in pythons():
            with self.subTest(python=python):
                self.forget_traces()
                command = [python, "-c", RECORD + program]
                plain = self.run_program(command)
                recorded = self.run_program(command, RECORDING_LIBRARY)
                self.assertEqual((recorded.status, recorded.output), (plain.status, plain.output))
                self.assertEqual(plain.status, status)
                self.assertRegex(self.end_of(self.only_trace()), "^" + end + "$")
        return self.only_trace()

    def test_the_end_of_the_program_is_an_exit(self):
        self.check("record()", "exit 0", 0)

    def test_exit_by_native_code_says_where_it_came_from(self):
        trace = self.check("def leave(): library.exit(3)\nrecord()\nleave()\n", "exit 3", 3)
        (thread,) = [event for event in events(trace) if event["kind"] == "EVENT_SNAPSHOT_THREAD"]
        self.assertEqual(python_stacks(trace)[thread["python_stack"]], ["leave", "<module>"])

    def test_a_host_program_may_not_have_started_its_python(self):
        host = os.path.join(PROGRAMS, "python_host")
        libraries = [library for library in map(library_of, pythons()) if library]
        if not libraries:
            self.skipTest("no interpreter has a libpython")
        for library in libraries:
            with self.subTest(library=library):
                self.forget_traces()
                plain = self.run_program([host, library])
                self.assertEqual(self.run_program([host, library], RECORDING_LIBRARY), plain)
                self.assertEqual(plain.output, b"done\n")
                self.assertEqual(self.end_of(self.only_trace()), "exit 0")

    def test_abort_is_a_signal(self):
        self.check("record(); os.abort()", r"signal 6 from \d+", -signal.SIGABRT)

    def test_a_fault_is_a_signal(self):
        self.check("record(); ctypes.string_at(8)", "signal 11 from 0", -signal.SIGSEGV)

    def test_a_fault_handler_that_comes_later_prints_and_hands_on(self):
        self.check("record(); faulthandler.enable(); ctypes.string_at(8)", "signal 11 from .*", -signal.SIGSEGV)

    def test_a_fault_handler_that_came_first_is_left_alone(self):
        self.check("faulthandler.enable(); record(); ctypes.string_at(8)", "killed", -signal.SIGSEGV)

    def test_term_ends_it_as_before(self):
        self.check("record(); os.kill(os.getpid(), signal.SIGTERM)", r"signal 15 from \d+", -signal.SIGTERM)

    def test_python_sees_the_default_actions(self):
        self.check("record(); print([signal.getsignal(number) for number in range(1, 32)])", "exit 0", 0)

    def test_handlers_of_the_program_are_called(self):
        program = ("signal.signal(signal.SIGTERM, lambda *what: print('mine', what[0]))\n"
                   "os.kill(os.getpid(), signal.SIGTERM)\nprint('goes on')\n")
        self.check("record()\n" + program, "exit 0", 0)
        self.check(program + "record()\n", "exit 0", 0)

    def test_the_default_action_can_be_set_again(self):
        self.check("record(); signal.signal(signal.SIGTERM, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGTERM)", "killed",
                   -signal.SIGTERM)

    def test_an_interrupt_is_an_exception_that_can_be_caught(self):
        self.check("record()\ntry:\n    signal.raise_signal(signal.SIGINT)\n    for i in range(10 ** 9): pass\n"
                   "except KeyboardInterrupt: print('caught')\n", "exit 0", 0)


if __name__ == "__main__":
    unittest.main()
