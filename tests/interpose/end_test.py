"""How a process ended, as its state page tells it, and that it ended as it does without the recorder."""
import os
import signal
import unittest

from recorded_process import PROGRAMS, RECORDING_LIBRARY, RecordedProcessTest

ENDS = os.path.join(PROGRAMS, "ends_without_python")


class EndTest(RecordedProcessTest):

    def check_end(self, mode, end):
        """Ends in `mode` with and without the recorder; the trace says `end`."""
        plain = self.run_program([ENDS, mode])
        recorded = self.run_program([ENDS, mode], RECORDING_LIBRARY)
        self.assertEqual(recorded, plain)
        self.assertRegex(self.end_of(self.only_trace()), "^" + end + "$")
        return plain.status

    def test_return_from_main_is_an_exit(self):
        self.assertEqual(self.check_end("return", "exit 4"), 4)

    def test_exit_has_its_status(self):
        self.assertEqual(self.check_end("exit", "exit 3"), 3)

    def test_only_the_low_byte_of_a_status_counts(self):
        self.assertEqual(self.check_end("large", "exit 7"), 7)

    def test_quick_exits_are_told(self):
        self.assertEqual(self.check_end("quick", "quick 5"), 5)

    def test_upper_case_exit_is_a_quick_exit(self):
        self.assertEqual(self.check_end("Exit", "quick 6"), 6)

    def test_abort_is_a_signal(self):
        self.assertEqual(self.check_end("abort", r"signal 6 from \d+"), -signal.SIGABRT)

    def test_a_fault_is_a_signal_from_nobody(self):
        self.assertEqual(self.check_end("fault", "signal 11 from 0"), -signal.SIGSEGV)

    def test_a_fault_of_any_thread_is_told(self):
        self.assertEqual(self.check_end("thread-fault", "signal 11 from 0"), -signal.SIGSEGV)

    def test_a_stack_overflow_is_told_where_the_program_has_an_alternative_stack(self):
        self.assertEqual(self.check_end("alternative-overflow", "signal 11 from 0"), -signal.SIGSEGV)

    def test_a_stack_overflow_kills_as_it_does(self):
        self.assertEqual(self.check_end("overflow", "killed"), -signal.SIGSEGV)

    def test_a_raised_floating_point_signal_is_told(self):
        self.assertEqual(self.check_end("divide", r"signal 8 from \d+"), -signal.SIGFPE)

    def test_term_is_a_signal(self):
        self.assertEqual(self.check_end("term", r"signal 15 from \d+"), -signal.SIGTERM)

    def test_hangup_is_a_signal(self):
        self.assertEqual(self.check_end("hup", r"signal 1 from \d+"), -signal.SIGHUP)

    def test_kill_leaves_no_word_but_is_seen(self):
        self.assertEqual(self.check_end("kill", "killed"), -signal.SIGKILL)

    def test_interrupt_is_left_alone(self):
        self.assertEqual(self.check_end("int", "killed"), -signal.SIGINT)

    def test_a_signal_that_is_ignored_stays_ignored(self):
        self.assertEqual(self.check_end("ignored", "exit 2"), 2)

    def test_a_handler_of_the_program_stays(self):
        self.assertEqual(self.check_end("handler", "quick 55"), 55)

    def test_a_handler_of_the_program_may_come_later(self):
        self.assertEqual(self.check_end("late-handler", "quick 55"), 55)

    def test_other_signals_keep_their_actions(self):
        self.check_end("dispositions", "exit 0")

    def test_a_sleeping_process_is_alive_then_killed(self):
        process = self.start_program([ENDS, "sleep"], RECORDING_LIBRARY)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        trace = self.only_trace()
        self.wait_for(lambda: self.end_of(trace) == "alive", "alive")
        process.kill()
        process.wait()
        self.assertEqual(self.end_of(trace), "killed")

    def test_the_sender_of_a_signal_is_told(self):
        process = self.start_program([ENDS, "sleep"], RECORDING_LIBRARY)
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(), -signal.SIGTERM)
        self.assertEqual(self.end_of(self.only_trace()), "signal 15 from %d" % os.getpid())

    @unittest.skipUnless(os.path.exists("/proc/self/coredump_filter"), "needs core dumps")
    def test_the_core_dump_bit_is_that_of_the_default_action(self):
        import resource
        for mode in ("abort", "fault", "term"):
            statuses = []
            for preload in (None, RECORDING_LIBRARY):
                child = os.fork()
                if child == 0:
                    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_CORE)[1]))
                    os.chdir(self.work)
                    os.execve(ENDS, [ENDS, mode], self.environment(preload))
                statuses.append(os.waitpid(child, 0)[1])
            self.assertEqual(statuses[0], statuses[1], mode)

    def test_exec_of_another_program_that_records_is_told(self):
        plain = self.run_program([ENDS, "exec-self"])
        recorded = self.run_program([ENDS, "exec-self"], RECORDING_LIBRARY)
        self.assertEqual(recorded, plain)
        self.assertEqual(sorted(map(self.end_of, self.trace_files())), ["exec", "exit 3"])

    def test_exec_of_a_program_that_records_nothing_leaves_one_trace(self):
        plain = self.run_program([ENDS, "exec"])
        recorded = self.run_program([ENDS, "exec"], RECORDING_LIBRARY)
        self.assertEqual(recorded, plain)
        self.assertEqual(self.end_of(self.only_trace()), "killed")


if __name__ == "__main__":
    unittest.main()
