// Sentences of the decision table that no other test or case shows.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("an exception stays the cause however late it comes, as long as peers wait",
          "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: allreduce 8 f32 sum @train.py:4 in main
    0,2: barrier @train.py:9 in main
    1: late 900 @data.py:7 in main>load
    1: raise "ValueError: bad batch" @data.py:8 in main>load
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(LineOf(finding, 1) == "data.py:8");
}

TEST_CASE("two receives that face each other are a circle", "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 2
    0: recv 64 f32 from=1 @pp.py:8 ; send 64 f32 to=1 @pp.py:9
    1: recv 64 f32 from=0 @pp.py:8 ; send 64 f32 to=0 @pp.py:9
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("who destroys its group has left it", "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: allreduce 8 f32 sum @train.py:4 in main
    1: destroy @train.py:20 in main
    0,2: barrier @train.py:9 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("calls behind the loop that was left may be lacking too", "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 3
    repeat 4 { 0-2: allreduce 8 f32 sum @t.py:10 in train }
    repeat 2 { 0,1: allreduce 8 f32 sum @t.py:10 in train }
    0,1: broadcast 5 f32 root=0 @t.py:20 in train
    0-2: allgather 6 f32 @t.py:30 in train
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(finding.returned_early());
}

TEST_CASE("what is called below the loop's own frame is a call more", "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 3
    repeat 4 { 0-2: allreduce 8 f32 sum @t.py:10 in train }
    2: broadcast 5 f32 root=0 @log.py:3 in train>log
    repeat 2 { 0-2: allreduce 8 f32 sum @t.py:10 in train }
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("a call of few is theirs only if nothing else is wrong with the others",
          "[decision_table]") {
  const std::string begin = "world 4\n0-3: allreduce 8 f32 sum @t.py:4 in main\n";
  const std::string few = "0: barrier @t.py:50 in main>save\n";
  CHECK(FirstOf(begin + few + "1-3: exit 0\n").kind() == "extra_call");
  CHECK(FirstOf(begin + few + "1-3: exit 3\n").kind() == "early_exit");
  // They know it.
  CHECK(FirstOf("world 4\n0-3: barrier @t.py:50 in main>save\n" + few + "1-3: exit 0\n").kind() ==
        "early_exit");
  // They are no more than half.
  CHECK(FirstOf(begin + "0,1: barrier @t.py:50 in main>save\n2,3: exit 0\n").kind() ==
        "early_exit");
}

TEST_CASE("who ended with a call under way is named where it ended", "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main
    1: allreduce 8 f32 sum @t.py:8 in main !queued
    1: exit 1 @t.py:29 in main
    0,2: allreduce 8 f32 sum @t.py:8 in main !queued ; sync @t.py:9 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(LineOf(finding, 1) == "t.py:29");
}

TEST_CASE("a partner that ended while its receive was under way is named with the sender",
          "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    0: send 64 f32 to=1 @pp.py:8 in main !queued ; sync @pp.py:9 in main
    1: recv 64 f32 from=0 @pp.py:12 in main !queued
    1: exit 0 @pp.py:20 in main
  )");
  CHECK(finding.kind() == "p2p_unmatched");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  CHECK(LineOf(finding, 1) == "pp.py:20");
}

TEST_CASE("one cause on several groups is told where all it concerns are members",
          "[decision_table]") {
  const Finding finding = FirstOf(R"(
    world 4
    comm row 0,1
    comm column 0,2
    comm other 1,3
    0-3: allreduce 8 f32 sum @t.py:4 in main
    0,1: raise "ValueError: loss is nan" @data.py:7 in main>load
    2: barrier on column @t.py:9 in main
    3: barrier @t.py:12 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("a rank that left its loop is told although its next call went through",
          "[decision_table]") {
  for (const char* backend : {"gloo", "nccl"}) {
    const Finding finding = FirstOf("world 4\nbackend " + std::string(backend) + R"(
      repeat 2 { repeat 3 { 0-3: barrier @e.py:5 in main>evaluate } ; 0-3: barrier @s.py:7 in main>save }
      repeat 2 { 0-3: barrier @e.py:5 in main>evaluate }
      1-3: barrier @e.py:5 in main>evaluate
      0-3: barrier @s.py:7 in main>save
      0: busy @x.py:3 in main
    )");
    CHECK(finding.kind() == "uneven_rounds");
    CHECK(RanksOf(finding) == Numbers{0});
  }
}

TEST_CASE("what is certain stands before what only may explain it", "[decision_table]") {
  const Report report = Judged(R"(
    world 4
    backend nccl
    env 0,1 NCCL_ALGO=Ring
    env 2,3 NCCL_ALGO=Tree
    0-3: allreduce 8 f32 sum @t.py:4 in main x3
    0-2: allreduce 8 f32 sum @t.py:6 in main>loss
    3: allreduce 8 f32 sum @t.py:9 in main>metric
    0-3: allreduce 8 f32 sum @t.py:4 in main x3
  )");
  REQUIRE(report.findings_size() == 2);
  CHECK(report.findings(0).kind() == "site_mismatch");
  CHECK(report.findings(1).kind() == "env_mismatch");
}

}  // namespace
}  // namespace rollcall::tests
