"""The real library and a real Gloo barrier: recorded, and the program ends as it does without."""
import os
import signal
import unittest

from recorded_process import LIBROLLCALL, PROGRAMS, RecordedProcessTest

PROGRAM = os.path.join(PROGRAMS, "gloo_barrier")
ENDS = {"return": ("exit 0", 0), "exit": ("exit 3", 3), "quick": ("quick 5", 5), "abort": (r"signal 6 from \d+", -signal.SIGABRT),
        "fault": (r"signal 11 from \d+", -signal.SIGSEGV)}


class GlooEndTest(RecordedProcessTest):

    def run_barrier(self, end, preload):
        store = os.path.join(self.work, "store")
        os.mkdir(store)
        # UCX, which some builds of Gloo bring, would handle the fault itself, and print its process id.
        result = self.run_program([PROGRAM, store, end], preload, UCX_HANDLE_ERRORS="none", UCX_ERROR_SIGNALS="")
        for name in os.listdir(store):
            os.unlink(os.path.join(store, name))
        os.rmdir(store)
        return result

    def test_ends_are_told_and_unchanged(self):
        for mode, (end, status) in ENDS.items():
            with self.subTest(mode=mode):
                plain = self.run_barrier(mode, None)
                recorded = self.run_barrier(mode, LIBROLLCALL)
                self.assertEqual(recorded, plain)
                self.assertEqual(plain.status, status)
                self.assertRegex(self.end_of(self.only_trace()), "^" + end + "$")
                self.forget_traces()


if __name__ == "__main__":
    unittest.main()
