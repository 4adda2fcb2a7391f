// Jobs that never come together.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a rendezvous that waits for a rank that was never started names it",
          "[init_incomplete]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0-3: rendezvous size=5 @train.py:12 in main
  )");
  for (analyzer::Process& process : job.processes)
    process.world_size = 5;
  const Report report = analyzer::Diagnose(job);
  const Finding finding = First(report);
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{4});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 2, 3});
  CHECK(LineOf(finding, 0) == "train.py:12");
  CHECK(Says(report.verdict(), "rank 4 never joined the rendezvous at train.py:12"));
  REQUIRE(report.limits_size() > 0);
  CHECK(Says(report.limits(0), "rank 4 not visible here"));
}

TEST_CASE("a process that is killed while the others rendezvous is the cause", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: rendezvous size=4 @train.py:12 in main !entered
    1: vanish
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("two processes with one rank are named before anything else", "[duplicate_rank]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0-3: rendezvous size=4 @train.py:12 !entered
  )");
  job.processes[3].rank = 2;
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "duplicate_rank");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("processes that ask for worlds of different size are named by minority", "[world_size]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0,1,3: rendezvous size=4 @train.py:12 !entered
    2: rendezvous size=5 @train.py:12 !entered
  )");
  job.processes[2].world_size = 5;
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "world_size");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("processes that are each alone in a world are told so", "[world_size]") {
  analyzer::Job job = JobFromText("world 3\n0-2: allreduce 8 f32 sum @t.py:1 !completed\n");
  for (int rank = 0; rank < 3; ++rank) {
    analyzer::Process& process = job.processes[static_cast<std::size_t>(rank)];
    process.rank = 0;
    process.world_size = 1;
    process.settings.emplace_back("env.RANK", std::to_string(rank));
  }
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "world_size");
  CHECK(RanksOf(finding) == Numbers{0, 1, 2});
}

}  // namespace
}  // namespace rollcall::tests
