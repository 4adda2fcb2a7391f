"""Uncaught Python exceptions are in the trace, and programs see the same Python as without the recorder."""
import os
import signal
import unittest

from recorded_process import (PROGRAMS, RECORDING_LIBRARY, RecordedProcessTest, events, python_stacks, pythons)

RECORD = """
import ctypes, threading
library = ctypes.CDLL(None)
assert getattr(library, 'rollcall_test_barrier', lambda: 0)() == 0
for i in range(1000): pass
"""


class PythonHookTest(RecordedProcessTest):

    prelude = RECORD

    def compare(self, program, python, **settings):
        script = os.path.join(self.work, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(self.prelude + program)
        plain = self.run_program([python, script], **settings)
        recorded = self.run_program([python, script], RECORDING_LIBRARY, **settings)
        self.assertEqual(recorded, plain)
        return plain

    def check(self, program, end, **settings):
        """Runs under every Python; the trace says `end`."""
        for python in pythons():
            with self.subTest(python=python):
                self.forget_traces()
                result = self.compare(program, python, **settings)
                trace = self.only_trace()
                self.assertEqual(self.end_of(trace), end)
                self.look_at(trace)
        return result

    def look_at(self, trace):
        """What else a test wants to know of each trace."""

    def exceptions(self, trace):
        return [event for event in events(trace) if event["kind"] == "EVENT_EXCEPTION"]

    def test_an_uncaught_exception_is_told_with_where_it_was_raised(self):
        def look_at(trace):
            (event,) = self.exceptions(trace)
            self.assertEqual(event["data"], "ValueError: boom")
            self.assertEqual(python_stacks(trace)[event["python_stack"]], ["inner", "outer", "<module>"])
        self.look_at = look_at
        result = self.check("def inner(): raise ValueError('boom')\ndef outer(): inner()\nouter()\n",
                            "exit 1 exception ValueError: boom")
        self.assertIn(b"ValueError: boom", result.errors)

    def test_an_exception_out_of_the_first_call_is_told(self):
        def look_at(trace):
            (event,) = self.exceptions(trace)
            self.assertEqual(event["data"], "RuntimeError: port taken")
            self.assertEqual(python_stacks(trace)[event["python_stack"]], ["connect", "<module>"])
        self.look_at = look_at
        self.prelude = ("import ctypes%s\nlibrary = ctypes.PyDLL(None)\n"
                        "fail = getattr(library, 'rollcall_test_fail', ctypes.pythonapi.PyErr_SetString)\n"
                        "def connect(): fail(ctypes.py_object(RuntimeError), b'port taken')\n")
        prelude = self.prelude
        for more in ("", ", threading"):
            self.prelude = prelude % more
            self.check("connect()\n", "exit 1 exception RuntimeError: port taken")

    def test_an_exception_out_of_the_first_call_may_be_caught(self):
        self.look_at = lambda trace: self.assertEqual(self.exceptions(trace), [])
        self.prelude = ("import ctypes, sys, threading\nlibrary = ctypes.PyDLL(None)\n"
                        "def before(): raise ValueError('of before')\ntry: before()\n"
                        "except ValueError as e: sys.last_type, sys.last_value, sys.last_traceback = ValueError, e, e.__traceback__\n"
                        "fail = getattr(library, 'rollcall_test_fail', ctypes.pythonapi.PyErr_SetString)\n")
        self.check("try: fail(ctypes.py_object(RuntimeError), b'port taken')\nexcept RuntimeError: pass\nsys.exit(1)\n", "exit 1")

    def test_classes_of_modules_are_named_as_in_the_traceback(self):
        self.check("import subprocess\nraise subprocess.TimeoutExpired('x', 3)\n",
                   "exit 1 exception subprocess.TimeoutExpired: Command 'x' timed out after 3 seconds")

    def test_an_exception_without_text_is_its_type(self):
        self.check("raise RuntimeError\n", "exit 1 exception RuntimeError")

    def test_the_text_is_left_out_on_request(self):
        self.check("raise RuntimeError('secret')\n", "exit 1 exception RuntimeError", ROLLCALL_EXCEPTION_TEXT="0")

    def test_hooks_can_be_switched_off(self):
        self.check("raise RuntimeError('secret')\n", "exit 1", ROLLCALL_PYTHON_HOOKS="0")

    def test_long_text_is_cut_between_characters(self):
        self.check("raise RuntimeError('x' + '\\u00e4' * 1000)\n", "exit 1 exception RuntimeError: x" + "\u00e4" * 120)

    def test_surrogates_and_broken_str_do_no_harm(self):
        self.check("raise RuntimeError('a\\udc80b')\n", "exit 1 exception RuntimeError: a\\udc80b")
        self.check("class Odd(Exception):\n    def __str__(self): return 1 // 0\nraise Odd\n", "exit 1 exception Odd")

    def test_system_exit_is_an_exit(self):
        self.check("import sys\nsys.exit(3)\n", "exit 3")
        self.check("raise SystemExit('text')\n", "exit 1")

    def test_os_exit_is_a_quick_exit_that_says_where_it_came_from(self):
        def look_at(trace):
            found = events(trace)
            begin = [event["data"] for event in found if event["kind"] == "EVENT_SNAPSHOT_BEGIN"]
            self.assertEqual(begin, ["exit"])
            (thread,) = [event for event in found if event["kind"] == "EVENT_SNAPSHOT_THREAD"]
            self.assertEqual(python_stacks(trace)[thread["python_stack"]], ["leave", "<module>"])
        self.look_at = look_at
        self.check("import os\ndef leave(): os._exit(5)\nleave()\n", "quick 5")

    def test_keyboard_interrupt_is_an_exception(self):
        result = self.check("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(10)\n",
                            "killed exception KeyboardInterrupt")
        self.assertEqual(result.status, -signal.SIGINT)

    def test_a_thread_that_fails_is_an_event_and_no_end(self):
        def look_at(trace):
            (event,) = self.exceptions(trace)
            self.assertEqual(event["data"], "KeyError: 'of the thread'")
            self.assertEqual(python_stacks(trace)[event["python_stack"]][0], "work")
        self.look_at = look_at
        self.check("def work(): raise KeyError('of the thread')\n"
                   "thread = threading.Thread(target=work, name='worker'); thread.start(); thread.join()\n", "exit 0")

    def test_a_thread_that_fails_while_the_main_thread_is_in_a_call_is_told_at_once(self):
        program = ("def work(): raise KeyError('of the thread')\n"
                   "library.rollcall_test_enter()\n"
                   "thread = threading.Thread(target=work, name='worker'); thread.start(); thread.join()\n"
                   "print('failed', flush=True)\nimport time; time.sleep(100)\n")
        for python in pythons():
            with self.subTest(python=python):
                self.forget_traces()
                process = self.start_program([python, "-c", self.prelude + program], RECORDING_LIBRARY)
                self.assertEqual(process.stdout.readline(), b"failed\n")
                trace = self.only_trace()
                (event,) = self.exceptions(trace)
                self.assertEqual(event["data"], "KeyError: 'of the thread'")
                self.assertNotEqual(event["tid"], str(process.pid))
                self.assertEqual(self.end_of(trace), "alive")
                process.kill()
                process.wait()
                self.assertEqual(self.end_of(trace), "killed")

    def test_system_exit_of_a_thread_says_nothing(self):
        self.look_at = lambda trace: self.assertEqual(self.exceptions(trace), [])
        self.check("import threading\nthread = threading.Thread(target=exit); thread.start(); thread.join()\n", "exit 0")

    def test_a_hook_of_the_program_stays_and_is_called(self):
        self.check("import sys\nsys.excepthook = lambda *what: print('mine', what[1])\nraise ValueError('x')\n", "exit 1")

    def test_a_hook_of_the_program_that_calls_the_original_is_seen(self):
        self.check("import sys\ndef hook(*what):\n    print('mine')\n    sys.__excepthook__(*what)\nsys.excepthook = hook\n"
                   "raise ValueError('x')\n", "exit 1 exception ValueError: x")

    def test_printing_an_exception_by_hand_is_no_end(self):
        self.check("import sys\ntry: 1 // 0\nexcept ZeroDivisionError: sys.excepthook(*sys.exc_info())\n", "exit 0")

    def test_the_hooks_look_like_those_of_python(self):
        self.check("""
import sys, threading
for module, name in ((sys, 'excepthook'), (threading, 'excepthook')):
    hook = getattr(module, name)
    print(hook, type(hook), hook.__name__, hook.__qualname__, hook.__module__, hook.__self__)
    print(hook is getattr(module, '__excepthook__', hook), hook.__text_signature__)
for wrong in ((), (1,), (1, 2, 3, 4)):
    try: sys.excepthook(*wrong)
    except TypeError as error: print(error)
try: sys.excepthook(a=1)
except TypeError as error: print(error)
try: threading.excepthook(1)
except TypeError as error: print(error)
""", "exit 0")

    def test_tracing_and_profiling_see_nothing(self):
        self.check("""
import sys
seen = []
sys.settrace(lambda frame, event, argument: seen.append((event, frame.f_code.co_name)))
def work(): return 1
for i in range(100): work()
sys.settrace(None)
print(len(seen), set(seen))
""", "exit 0")


if __name__ == "__main__":
    unittest.main()
