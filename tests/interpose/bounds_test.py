"""A Python program that makes every call from a place of its own: its memory and its trace stop growing, the trace says that places
are missing, and counts every call. bounds_test.py [CALLS], by default few."""
import os
import re
import sys
import unittest

from recorded_process import RECORDING_LIBRARY, RecordedProcessTest, decode

CALLS = int(sys.argv.pop(1)) if sys.argv[1:] and sys.argv[1].isdigit() else 20000

PROGRAM = """
import ctypes, sys
barrier = getattr(ctypes.CDLL(None), "rollcall_test_barrier")
calls = %d
def own_memory():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
for number in range(calls):
    exec(compile("barrier()", "<cell %%d>" %% number, "exec"), {"barrier": barrier})
    if number == calls // 2:
        before = own_memory()
print(own_memory() - before)
"""


class BoundsTest(RecordedProcessTest):
    program_seconds = 120 + CALLS / 1000

    def check(self, calls, megabytes):
        done = self.run_program([sys.executable, "-c", PROGRAM % calls], RECORDING_LIBRARY, ROLLCALL_MAX_MB=str(megabytes))
        self.assertEqual((done.status, done.errors), (0, b""))
        # The tables of the recorder may still be filling in a short run.
        self.assertLess(int(done.output), 32 << 10)
        trace = self.only_trace()
        self.assertLessEqual(os.path.getsize(trace), megabytes << 20)
        return trace

    def test_few_megabytes_are_enough_for_all_calls(self):
        text = decode(self.check(CALLS, 2))
        stacks = len(re.findall(r"^ +python_stack \{", text, re.M))
        self.assertGreater(stacks, 1000)
        self.assertLess(stacks, CALLS)
        self.assertTrue('name: "python.stacks_lost"' in text, "nothing says that stacks are missing")
        # Every call is in the prefix of its communicator.
        counts = [int(count) for count in re.findall(r"^progress \{.*?^  count: (\d+)", text, re.M | re.S)]
        self.assertEqual(max(counts), CALLS)


if __name__ == "__main__":
    unittest.main()
