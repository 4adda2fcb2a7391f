// late_rank: late is not missing, and not every wait is one.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a rank that came late to a job that went on is a warning", "[late_rank]") {
  for (const char* backend : {"nccl", "gloo"}) {
    const std::string round = "0-3: allreduce 64 f32 sum @t.py:4 in main ; sync @t.py:5 in main\n";
    const Report report = analyzer::Diagnose(
        JobFromText("world 4\nbackend " + std::string(backend) + "\nrepeat 10 { " + round + " }\n" +
                    "0: late 30 @t.py:20 in main>report\n" + round));
    CHECK(First(report).kind() == "late_rank");
    CHECK(First(report).severity() == "warning");
    CHECK(RanksOf(First(report)) == Numbers{0});
    CHECK(VictimsOf(First(report)) == Numbers{1, 2, 3});
    CHECK(First(report).position() == 10);
    CHECK(Says(First(report).message(), "30 s late"));
  }
}

TEST_CASE("a wait that is usual at its place is none", "[late_rank]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 2
    repeat 10 { 0: late 10 @t.py:20 in main ; 0,1: allreduce 64 f32 sum @t.py:4 in main }
  )"));
  CHECK(report.findings().empty());
}

TEST_CASE("a short delay is none", "[late_rank]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 2
    0,1: allreduce 64 f32 sum @t.py:4 in main x10
    0: late 4 @t.py:20 in main
    0,1: allreduce 64 f32 sum @t.py:4 in main
  )"));
  CHECK(report.findings().empty());
}

TEST_CASE("who waited for somebody else meanwhile is not late", "[late_rank]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 3
    comm tp 0,1
    0-2: allreduce 64 f32 sum @t.py:4 in main x10
    1: late 70 @t.py:20 in main
    0,1: allreduce 8 f32 sum on tp @t.py:6 in main
    0-2: allreduce 64 f32 sum @t.py:4 in main
  )"));
  CHECK(First(report).kind() == "late_rank");
  CHECK(RanksOf(First(report)) == Numbers{1});
}

TEST_CASE("a rank whose stack changes is late, not missing", "[late_rank]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:4 in main x3
    0: busy @validate.py:15 in main>validate progressing
    1,2: allreduce 8 f32 sum @t.py:4 in main
  )"));
  CHECK(First(report).kind() == "late_rank");
  CHECK(First(report).severity() == "warning");
  CHECK(RanksOf(First(report)) == Numbers{0});
  CHECK(Says(First(report).message(), "late, not stuck: busy at validate.py:15"));
}

}  // namespace
}  // namespace rollcall::tests
