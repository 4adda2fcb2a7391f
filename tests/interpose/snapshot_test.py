"""Snapshots: where the threads of a rank are while it hangs, while it is idle, when somebody asks, and when it leaves."""
import os
import struct
import unittest

from recorded_process import RECORDING_LIBRARY, RecordedProcessTest, events, python_stacks, pythons

PROGRAM = """
import ctypes, sys, threading, time
library = ctypes.CDLL(None)
def wait_for_data():
    time.sleep(1000)
def work():
    wait_for_data()
threading.Thread(target=work, name='loader', daemon=True).start()
output = open('checkpoint.bin', 'w')
reading = open(sys.argv[0])
def enter():
    assert library.rollcall_test_enter() == 1
def finish():
    library.rollcall_test_complete()
def train():
    enter()
    if sys.argv[1] == 'idle': finish()
    print('ready', flush=True)
    time.sleep(1000)
train()
"""
STATE_AT = 2048
SNAPSHOT_REQUEST_AT = STATE_AT + 8 + 64 + 5 * 8 + 2 * 4


def read(path):
    with open(path, "rb") as file:
        return file.read()


class SnapshotTest(RecordedProcessTest):

    def start(self, mode, python, seconds):
        script = os.path.join(self.work, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        process = self.start_program([python, script, mode], RECORDING_LIBRARY, ROLLCALL_HANG_SECONDS=seconds)
        self.assertEqual(process.stdout.readline(), b"ready\n", process.poll())
        return process

    def trace_of(self, process):
        (trace,) = [file for file in self.trace_files() if ".%d." % process.pid in os.path.basename(file)]
        return trace

    def snapshots(self, trace):
        """[(reason, threads, files)] of the snapshots that are whole."""
        found = []
        for event in events(trace):
            kind = event["kind"]
            if kind == "EVENT_SNAPSHOT_BEGIN":
                reason, threads, files = event["data"], [], []
            elif kind == "EVENT_SNAPSHOT_THREAD":
                threads.append(event)
            elif kind == "EVENT_SNAPSHOT_FILE":
                files.append(event["data"])
            elif kind == "EVENT_SNAPSHOT_END":
                found.append((reason, threads, files))
        return found

    def wait_for_snapshot(self, trace, reason):
        def find():
            return [snapshot for snapshot in self.snapshots(trace) if snapshot[0] == reason]
        return self.wait_for(find, reason)[0]

    def check_contents(self, process, snapshot):
        _, threads, files = snapshot
        stacks = python_stacks(self.trace_of(process))
        self.assertEqual(len(threads), 2)
        self.assertEqual(int(threads[0]["tid"]), process.pid, "the main thread comes first")
        self.assertEqual(stacks[threads[0]["python_stack"]], ["train", "<module>"])
        self.assertNotEqual(int(threads[1]["tid"]), 0)
        self.assertIn("wait_for_data", stacks[threads[1]["python_stack"]])
        self.assertEqual(files, [os.path.join(os.path.realpath(self.work), "checkpoint.bin")])

    def test_a_pending_call_is_a_hang_after_the_time_set(self):
        for python in pythons():
            with self.subTest(python=python):
                process = self.start("pending", python, "0.5")
                snapshot = self.wait_for_snapshot(self.trace_of(process), "hang")
                self.check_contents(process, snapshot)

    def test_snapshots_go_on_while_the_hang_lasts(self):
        process = self.start("pending", pythons()[0], "0.5")
        trace = self.trace_of(process)
        self.wait_for(lambda: len(self.snapshots(trace)) >= 3, "three snapshots")
        self.assertEqual({reason for reason, _, _ in self.snapshots(trace)}, {"hang"})

    def test_snapshots_leave_nothing_behind(self):
        process = self.start("pending", pythons()[0], "0.5")
        trace = self.trace_of(process)
        self.wait_for(lambda: self.snapshots(trace), "a snapshot")

        def count():
            return [len(os.listdir("/proc/%d/%s" % (process.pid, what))) for what in ("fd", "task", "map_files")]
        before = count()
        self.wait_for(lambda: len(self.snapshots(trace)) >= 3, "three snapshots")
        self.wait_for(lambda: count() == before, "the same descriptors, threads and mappings")

    def test_a_rank_that_makes_no_call_is_idle(self):
        process = self.start("idle", pythons()[0], "0.5")
        self.check_contents(process, self.wait_for_snapshot(self.trace_of(process), "idle"))

    def test_nothing_is_written_before_the_time_is_over(self):
        process = self.start("pending", pythons()[0], "1000")
        other = self.start("pending", pythons()[0], "0.5")
        self.wait_for_snapshot(self.trace_of(other), "hang")
        reasons = {reason for reason, _, _ in self.snapshots(self.trace_of(process))}
        self.assertLessEqual(reasons, {"request"})

    def test_a_request_is_answered(self):
        process = self.start("idle", pythons()[0], "1000")
        trace = self.trace_of(process)
        with open(trace, "r+b") as file:
            file.seek(SNAPSHOT_REQUEST_AT)
            file.write(struct.pack("<I", 1))
        self.check_contents(process, self.wait_for_snapshot(trace, "request"))

        def is_answered():
            with open(trace, "rb") as file:
                file.seek(SNAPSHOT_REQUEST_AT)
                request, done = struct.unpack("<II", file.read(8))
            return request == done == 1
        self.wait_for(is_answered, "snapshot_done")
        self.assertEqual(len(self.snapshots(trace)), 1)

    def test_a_rank_that_hangs_asks_the_missing_one(self):
        missing = self.start("idle", pythons()[0], "1000")
        self.start("pending", pythons()[0], "0.5")
        self.check_contents(missing, self.wait_for_snapshot(self.trace_of(missing), "request"))

    def test_dead_ranks_and_foreign_files_are_left_alone(self):
        dead = self.start("idle", pythons()[0], "1000")
        dead_trace = self.trace_of(dead)
        dead.kill()
        dead.wait()
        before = read(dead_trace)
        fifo = os.path.join(self.traces, "fifo.1.2.rollcall")
        os.mkfifo(fifo)
        target = os.path.join(self.work, "target")
        with open(target, "wb") as file:
            file.write(before)
        os.symlink(target, os.path.join(self.traces, "link.1.2.rollcall"))
        with open(os.path.join(self.traces, "text.1.2.rollcall"), "w", encoding="utf-8") as file:
            file.write("no trace\n" * 1000)
        self.start("pending", pythons()[0], "0.5")
        alive = self.start("idle", pythons()[0], "1000")
        self.wait_for_snapshot(self.trace_of(alive), "request")
        self.assertEqual(read(dead_trace), before)
        self.assertEqual(read(target), before)


if __name__ == "__main__":
    unittest.main()
