// `rollcall run` is not there as far as the job and its caller can tell: status, streams, signals.
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/tools/command.h"

namespace rollcall::tests {

TEST_CASE("the exit status is the job's") {
  const TemporaryFolder folder;
  CHECK(RunProgram(RunShell(folder.path(), "exit 0")).status == 0);
  CHECK(RunProgram(RunShell(folder.path(), "exit 3")).status == 3);
  CHECK(RunProgram(RunShell(folder.path(), "exit 255")).status == 255);
}

TEST_CASE("a job that died by signal N gives 128+N") {
  const TemporaryFolder folder;
  CHECK(RunProgram(RunShell(folder.path(), "kill -9 $$")).status == 128 + SIGKILL);
  CHECK(RunProgram(RunShell(folder.path(), "kill -SEGV $$")).status == 128 + SIGSEGV);
}

TEST_CASE("a command that is not there gives 127, one that cannot be executed 126, as in sh") {
  const TemporaryFolder folder;
  const Outcome missing =
      RunProgram(Rollcall({"run", "-o", folder.path() + "/a", "--", "no-such-command"}));
  CHECK(missing.status == 127);
  CHECK(Contains(missing.errors, "no-such-command: command not found"));
  CHECK(RunProgram(Rollcall({"run", "-o", folder.path() + "/b", "--", "/etc/passwd"})).status ==
        126);
  CHECK(RunProgram(Rollcall({"run", "-o", folder.path() + "/c", "--", "/etc"})).status == 126);
  CHECK(access((folder.path() + "/a").c_str(), F_OK) != 0);
}

TEST_CASE("stdout and stdin are the job's alone, stderr ends with one line of ours") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.input = "one\ntwo\n";
  const Outcome outcome = RunProgram(RunShell(folder.path(), "cat; echo problem >&2"), options);
  CHECK(outcome.output == "one\ntwo\n");
  CHECK(outcome.errors.rfind("problem\nrollcall: ", 0) == 0);
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 2);
}

TEST_CASE("the job gets its words exactly, also -- and empty ones and options of ours") {
  const TemporaryFolder folder;
  const Outcome outcome = RunProgram(Rollcall({"run", "-o", folder.path(), "--", "printf", "<%s>",
                                               "--", "", "-o", "--json=x", "a b", "--"}));
  CHECK(outcome.output == "<--><><-o><--json=x><a b><-->");
}

TEST_CASE("a signal sent to the launcher reaches the job, whose status is given") {
  const TemporaryFolder folder;
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    CAPTURE(number);
    Program program(
        RunShell(folder.path(),
                 "trap 'exit 7' TERM INT HUP USR1; echo ready; while :; do sleep 0.01; done"));
    REQUIRE(program.WaitForOutput("ready"));
    kill(program.pid(), number);
    CHECK(program.Wait().status == 7);
  }
}

TEST_CASE("a job without a handler dies of the signal that was sent to the launcher") {
  const TemporaryFolder folder;
  Program program(RunShell(folder.path(), "echo ready; exec sleep 60"));
  REQUIRE(program.WaitForOutput("ready"));
  kill(program.pid(), SIGTERM);
  CHECK(program.Wait().status == 128 + SIGTERM);
}

TEST_CASE("a signal that the launcher was told to ignore is ignored by the job too") {
  const TemporaryFolder folder;
  const std::string inner = std::string(ROLLCALL_COMMAND) + " run -o " + folder.path() +
                            " -- sh -c 'echo ready; kill -HUP $PPID; kill -HUP $$; exit 5'";
  CHECK(RunProgram({"sh", "-c", "trap '' HUP; " + inner}).status == 5);
}

TEST_CASE("the job keeps process group, session and signal mask of its launcher") {
  const TemporaryFolder folder;
  const char* facts =
      "cut -d' ' -f5,6 /proc/self/stat; grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status";
  const Outcome plain = RunProgram({"sh", "-c", facts});
  const Outcome under = RunProgram(RunShell(folder.path(), facts));
  CHECK(under.output == plain.output);
}

TEST_CASE("the status is known although SIGCHLD was ignored by the caller") {
  const TemporaryFolder folder;
  signal(SIGCHLD, SIG_IGN);
  Program program(RunShell(folder.path(), "exit 9"));
  signal(SIGCHLD, SIG_DFL);
  CHECK(program.Wait().status == 9);
}

}  // namespace rollcall::tests
