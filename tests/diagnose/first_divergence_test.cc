// The first divergence, also when it goes through and the job hangs later; and which of two
// readings is told.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

bool AnyWhy(const Finding& finding, const std::string& words) {
  for (const std::string& why : finding.why()) {
    if (Says(why, words)) return true;
  }
  return false;
}

TEST_CASE("a call that went through silently is the finding, not the one that hangs",
          "[first_divergence]") {
  const Finding finding = FirstOf(R"(
    world 4
    backend nccl
    repeat 6 { 0-3: broadcast 24 f32 root=0 @v.py:8 in step ; broadcast 64 f32 root=0 @t.py:9 in step ; allreduce 59 f32 sum @m.py:30 in step }
    0-2: broadcast 24 f32 root=0 @v.py:8 in step
    0-3: broadcast 64 f32 root=0 @t.py:9 in step ; allreduce 59 f32 sum @m.py:30 in step
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{3});
  CHECK(finding.position() == 18);
  CHECK(AnyWhy(finding, "still went through"));
  CHECK(AnyWhy(finding, "it hangs at position 19"));
}

TEST_CASE("rounds that are queued behind a skipped call do not make it another order",
          "[first_divergence]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    repeat 5 { 0-1: allreduce 16 f32 sum @m.py:7 in step ; reducescatter 2048 bf16 sum @m.py:9 in step }
    0: allreduce 16 f32 sum @m.py:7 in step
    0-1: reducescatter 2048 bf16 sum @m.py:9 in step
    repeat 100 { 0-1: allreduce 16 f32 sum @m.py:7 in step ; reducescatter 2048 bf16 sum @m.py:9 in step }
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(finding.position() == 10);
}

TEST_CASE("several calls that are left out are one finding, under both libraries",
          "[first_divergence]") {
  for (const char* backend : {"nccl", "gloo"}) {
    const std::string round =
        "allreduce 2000 f32 sum @t.py:41 in main ; allgather 1000 f32 @t.py:42 in main ; "
        "allreduce 1 f32 sum @t.py:50 in main";
    const Finding finding = FirstOf(
        "world 4\nbackend " + std::string(backend) + "\nrepeat 8 { 0-3: " + round +
        " }\n0,1,3: allreduce 2000 f32 sum @t.py:41 in main ; allgather 1000 f32 @t.py:42 in main\n"
        "0-3: allreduce 1 f32 sum @t.py:50 in main\nrepeat 3 { 0-3: " +
        round + " }\n");
    CHECK(finding.kind() == "skipped_call");
    CHECK(RanksOf(finding) == Numbers{2});
    CHECK(finding.position() == 24);
    CHECK(Says(finding.message(), "and the call behind it"));
  }
}

TEST_CASE("of two ranks the one lacks a call that it makes in other rounds", "[first_divergence]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    repeat 10 { 0-1: allreduce 195812480 bf16 sum @t.py:52 in vision ; allreduce 51123456 bf16 sum @t.py:55 in text ; sync @t.py:60 in step }
    1: allreduce 195812480 bf16 sum @t.py:52 in vision
    0-1: allreduce 51123456 bf16 sum @t.py:55 in text ; sync @t.py:60 in step
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(finding.position() == 20);
}

TEST_CASE("when those not visible could turn the majority round, both sides are named",
          "[first_divergence]") {
  const Finding finding = FirstOf(R"(
    world 3
    0: broadcast 4 f32 root=0 @t.py:5 !completed ; barrier @t.py:9 !entered
    1: absent
    2: broadcast 4 f32 root=0 @t.py:5 !completed ; broadcast 8 f32 root=0 @t.py:6 !entered
  )");
  CHECK(RanksOf(finding) == Numbers{0, 2});
  CHECK(AnyWhy(finding, "two groups of equal size disagree"));
  CHECK(Says(finding.message(), "cannot be told without rank 1"));
}

TEST_CASE("of four ranks one that is not visible does not take the majority away",
          "[first_divergence]") {
  const Finding finding = FirstOf(R"(
    world 4
    0: broadcast 4 f32 root=0 @t.py:5 !completed ; barrier @t.py:9 !entered
    1: absent
    2,3: broadcast 4 f32 root=0 @t.py:5 !completed ; broadcast 8 f32 root=0 @t.py:6 !entered
  )");
  CHECK(RanksOf(finding) == Numbers{0});
}

TEST_CASE("an all-to-all whose ends disagree names the rank in all pairs", "[arg_mismatch]") {
  for (const char* backend : {"nccl", "gloo"}) {
    const Report report =
        analyzer::Diagnose(JobFromText("world 3\nbackend " + std::string(backend) + R"(
      0: alltoall 6 f32 splits=2,2,2 receives=2,3,2 @e.py:9 in dispatch !completed
      1: alltoall 6 f32 splits=2,2,2 receives=2,2,2 @e.py:9 in dispatch !completed
      2: alltoall 6 f32 splits=2,2,2 receives=2,3,2 @e.py:9 in dispatch !completed
    )"));
    CHECK(First(report).kind() == "arg_mismatch");
    CHECK(First(report).argument() == "splits");
    CHECK(RanksOf(First(report)) == Numbers{1});
    CHECK(Says(First(report).message(), "rank 1 sends 8 bytes to rank 0, which takes 12"));
  }
}

TEST_CASE("an uneven all-to-all whose ends agree is silent", "[arg_mismatch]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 2
    0: alltoall 6 f32 splits=1,5 receives=1,2 @e.py:9 x3
    1: alltoall 6 f32 splits=2,4 receives=5,4 @e.py:9 x3
  )"));
  CHECK(report.findings().empty());
}

}  // namespace
}  // namespace rollcall::tests
