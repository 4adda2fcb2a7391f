// Calls that differ at a position: the kinds in the order of the decision table.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("another operation names the minority, with the lines of both sides", "[op_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    2: broadcast 8 f32 root=0 @train.py:50 in main
    0,1,3: allreduce 8 f32 sum @train.py:52 in main
  )");
  CHECK(finding.kind() == "op_mismatch");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 3});
  CHECK(finding.position() == 1);
  CHECK(LineOf(finding, 2) == "train.py:50");
  CHECK(LineOf(finding, 0) == "train.py:52");
}

TEST_CASE("rank 0 can be the minority", "[op_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 4
    0: broadcast 8 f32 root=0 @train.py:50
    1-3: allreduce 8 f32 sum @train.py:52
  )");
  CHECK(finding.kind() == "op_mismatch");
  CHECK(RanksOf(finding) == Numbers{0});
}

TEST_CASE("two ranks that disagree are both named, as a tie", "[op_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 2
    0: broadcast 8 f32 root=0 @train.py:50
    1: allreduce 8 f32 sum @train.py:52
  )");
  CHECK(finding.kind() == "op_mismatch");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  bool stated = false;
  for (const std::string& why : finding.why())
    stated = stated || Says(why, "equal size");
  CHECK(stated);
}

TEST_CASE("another size is a count mismatch, although the library aborted a process for it",
          "[arg_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41
    0,1,3: allreduce 20 f32 sum @train.py:45 !failed
    0,1,3: raise "RuntimeError: Read error [127.0.0.1]:3541: Connection reset by peer"
    2: allreduce 10 f32 sum @train.py:45 !entered
    2: signal ABRT
  )");
  CHECK(finding.kind() == "arg_mismatch");
  CHECK(finding.argument() == "count");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 3});
  CHECK(Says(finding.message(), "allreduce of 10 f32 (sum) at train.py:45"));
}

TEST_CASE("arguments are told apart: root, datatype, reduce operation", "[arg_mismatch]") {
  const std::string argument[3][3] = {{"root", "broadcast 8 f32 root=0", "broadcast 8 f32 root=1"},
                                      {"datatype", "allreduce 8 f32 sum", "allreduce 8 f64 sum"},
                                      {"redop", "allreduce 8 f32 sum", "allreduce 8 f32 max"}};
  for (const auto& [name, usual, odd] : argument) {
    const Finding finding = FirstOf("world 4\n0,1,3: " + usual + " @t.py:4 !entered\n2: " + odd +
                                    " @t.py:4 !entered\n");
    CHECK(finding.kind() == "arg_mismatch");
    CHECK(finding.argument() == name);
    CHECK(RanksOf(finding) == Numbers{2});
  }
}

TEST_CASE("arguments that differ silently are found in a job that ended well", "[arg_mismatch]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:1 x10
    0: reduce 8 f32 sum root=0 @t.py:4 !completed
    1,2: reduce 8 f32 sum root=1 @t.py:4 !completed
    0-2: allreduce 8 f32 sum @t.py:1 x10
  )"));
  CHECK(First(report).kind() == "arg_mismatch");
  CHECK(First(report).argument() == "root");
  CHECK(RanksOf(First(report)) == Numbers{0});
  CHECK(report.findings_size() == 1);
}

TEST_CASE("equal bytes in another datatype are one copy", "[arg_mismatch]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 2
    0: broadcast 8 f32 root=0 @t.py:4
    1: broadcast 8 i32 root=0 @t.py:4
  )"));
  CHECK(report.findings().empty());
}

TEST_CASE("a barrier on one rank before everybody's barrier is an extra call", "[extra_call]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main x3
    0: barrier @save.py:9 in main>save
    0-3: barrier @train.py:60 in main
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(finding.position() == 3);
  CHECK(LineOf(finding, 0) == "save.py:9");
}

TEST_CASE("a call that is unknown to the others, inside a loop, is an extra call", "[extra_call]") {
  const Finding finding = FirstOf(R"(
    world 4
    repeat 5 { 0-3: allreduce 8 f32 sum @train.py:41 in main>step }
    1: broadcast 1 i64 root=0 @train.py:90 in main>save
    0-3: allreduce 8 f32 sum @train.py:41 in main>step
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("a rank that leaves out a call is one call ahead", "[skipped_call]") {
  const Finding finding = FirstOf(R"(
    world 4
    repeat 3 { 0-3: allreduce 8 f32 sum @t.py:1 in main ; allgather 4 f32 @t.py:2 in main }
    0-2: allreduce 8 f32 sum @t.py:1 in main
    0-3: allgather 4 f32 @t.py:2 in main
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{3});
  CHECK(finding.position() == 6);
}

TEST_CASE("of two ranks the one that left a known call out is named", "[skipped_call]") {
  const Finding finding = FirstOf(R"(
    world 2
    repeat 3 { 0,1: allreduce 8 f32 sum @t.py:1 in main ; allgather 4 f32 @t.py:2 in main }
    0: allreduce 8 f32 sum @t.py:1 in main
    0,1: allgather 4 f32 @t.py:2 in main
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("a rank with fewer batches left the loop early", "[uneven_rounds]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @t.py:10 in main>step x7
    0,1,3: allreduce 8 f32 sum @t.py:10 in main>step
    0-3: barrier @t.py:2000 in main
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(finding.returned_early());
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(Says(finding.message(), "after 7 rounds"));
}

TEST_CASE("those that left the loop first are named also when they are many", "[uneven_rounds]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @t.py:10 in main>step x7
    2: allreduce 8 f32 sum @t.py:10 in main>step
    0-3: barrier @t.py:2000 in main
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(RanksOf(finding) == Numbers{0, 1, 3});
}

TEST_CASE("swapped calls are an order mismatch", "[order_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 3
    0,1: allreduce 8 f32 sum @t.py:1 !completed ; broadcast 8 f32 root=0 @t.py:2 !completed
    2: broadcast 8 f32 root=0 @t.py:2 !completed ; allreduce 8 f32 sum @t.py:1 !completed
    0-2: barrier @t.py:3
  )");
  CHECK(finding.kind() == "order_mismatch");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("an equal call from another function is a warning when it went through",
          "[site_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: allreduce 8 f32 sum @t.py:1 in main x3
    0,1: allreduce 8 f32 sum @t.py:5 in main>loss
    2: allreduce 8 f32 sum @t.py:9 in main>metric
    0-2: allreduce 8 f32 sum @t.py:1 in main x3
  )");
  CHECK(finding.kind() == "site_mismatch");
  CHECK(finding.severity() == "warning");
  CHECK(RanksOf(finding) == Numbers{2});
}

}  // namespace
}  // namespace rollcall::tests
