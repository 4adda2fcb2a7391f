// Jobs in which nothing is wrong: nobody may be accused.
#include "analyzer/diagnose/diagnose.h"
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using analyzer::Diagnose;
using analyzer::ExitStatus;
using analyzer::FailOn;

TEST_CASE("a correct job has no finding and exit status 0", "[correct]") {
  const Report report = Diagnose(JobFromText(R"(
    world 4
    0-3: allreduce 1024 f32 sum @train.py:41 x119
    0-3: barrier @train.py:57
  )"));
  CHECK(report.findings().empty());
  CHECK(report.verdict() == "no problem found: 4 ranks, 120 collective calls, all in step");
  CHECK(ExitStatus(report, FailOn::kWarning) == 0);
}

TEST_CASE("two branches of one call are silent", "[correct]") {
  for (const char* functions : {"main", "main>sync"}) {
    const std::string in(functions);
    const Report report =
        Diagnose(JobFromText("world 3\n0: barrier @t.py:5 in " + in + "\n1,2: barrier @t.py:9 in " +
                             in + "\n0-2: allreduce 8 f32 sum @t.py:12 in main\n"));
    CHECK(report.findings().empty());
  }
}

TEST_CASE("a pair of functions that recurs is silent", "[correct]") {
  const Report report = Diagnose(JobFromText(R"(
    world 3
    repeat 4 { 0: allreduce 8 f32 sum @t.py:5 in main>first }
    repeat 4 { 1-2: allreduce 8 f32 sum @t.py:9 in main>rest }
  )"));
  CHECK(report.findings().empty());
}

TEST_CASE("a running job whose ranks are at different speed is not accused", "[correct]") {
  analyzer::Job job = JobFromText(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:5 x10
    2: busy @t.py:7
    0,1: allreduce 8 f32 sum @t.py:5
  )");
  job.now_ns -= 99'000'000'000;
  for (analyzer::Process& process : job.processes)
    process.last_sign_ns = job.now_ns;
  const Report report = Diagnose(job);
  CHECK(report.findings().empty());
  REQUIRE(report.limits_size() == 1);
  CHECK(Says(report.limits(0), "too short to call it a hang"));
}

TEST_CASE("a rank that aborts in its exit, with all calls done, is not accused", "[correct]") {
  const Report report = Diagnose(JobFromText(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:5 x10
    0,2: exit 0
    1: signal ABRT
  )"));
  CHECK(report.findings().empty());
}

TEST_CASE("a job that is ended as a whole names all, and nobody as the one who broke step",
          "[killed]") {
  const Report report = Diagnose(JobFromText(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:5 x10
    0-2: signal TERM
  )"));
  CHECK(First(report).kind() == "killed");
  CHECK(RanksOf(First(report)) == std::vector<int>{0, 1, 2});
  CHECK(Says(report.verdict(), "all ranks were in step"));
}

TEST_CASE("an error after the last call is a warning", "[early_exit]") {
  const Report report = Diagnose(JobFromText(R"(
    world 2
    0,1: allreduce 8 f32 sum @t.py:5 in main
    0: exit 0
    1: raise "KeyError: 'best'" @t.py:9 in main
  )"));
  CHECK(First(report).kind() == "early_exit");
  CHECK(First(report).severity() == "warning");
  CHECK_FALSE(First(report).returned_early());
  CHECK(ExitStatus(report, FailOn::kError) == 0);
  CHECK(ExitStatus(report, FailOn::kWarning) == 1);
}

TEST_CASE("a missing trace of a job in step is a limit, not a finding", "[correct]") {
  const Report report = Diagnose(JobFromText(R"(
    world 3
    1: absent
    0,2: allreduce 8 f32 sum @t.py:5 !completed
  )"));
  CHECK(report.findings().empty());
  CHECK(report.limits_size() == 1);
}

TEST_CASE("a job in step is not called so when its traces were cut off", "[correct]") {
  analyzer::Job job = JobFromText(R"(
    world 2
    *: allreduce 8 f32 sum @t.py:5 x3
  )");
  analyzer::InputFile input;
  input.state = "truncated";
  input.message = "ends at byte 5000 of 135168";
  job.inputs.assign(2, input);
  const Report report = Diagnose(job);
  CHECK(report.findings().empty());
  CHECK(Says(report.verdict(), "in what can be read"));
  CHECK(Says(report.verdict(), "2 of 2 files are incomplete"));
}

TEST_CASE("traces without any call cannot be analyzed", "[status]") {
  const Report report = Diagnose(JobFromText("world 2\n0,1: exit 0\n"));
  CHECK(Says(report.verdict(), "could not analyze"));
  CHECK(Says(report.verdict(), "no call and no rendezvous was recorded"));
  CHECK(ExitStatus(report, FailOn::kError) == 2);
}

}  // namespace
}  // namespace rollcall::tests
