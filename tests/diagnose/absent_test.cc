// Ranks that have no call where the others wait: what became of them decides.
#include "analyzer/diagnose/diagnose.h"
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a rank that exits before a barrier returned early", "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 1024 f32 sum @train.py:41 in main x5
    2: exit 0
    0,1,3: barrier @train.py:57 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(finding.severity() == "error");
  CHECK(finding.returned_early());
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 3});
  CHECK(finding.communicator() == "world");
  CHECK(finding.position() == 5);
  CHECK(LineOf(finding, 2) == "train.py:41");
  CHECK(LineOf(finding, 0) == "train.py:57");
  CHECK(finding.message() ==
        "rank 2 returned early: left main() after its allreduce at train.py:41 (exit status 0) "
        "while ranks 0, 1, 3 wait in barrier at "
        "train.py:57");
}

TEST_CASE("where a rank was when it exited is better than its last call", "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 1024 f32 sum @train.py:41 in main
    2: exit 3 @train.py:48 in main>check
    0,1,3: barrier @train.py:57 in main
  )");
  CHECK(LineOf(finding, 2) == "train.py:48");
  CHECK(Says(finding.message(), "left check() at train.py:48 (exit status 3)"));
}

TEST_CASE("an uncaught exception is told with its text, although the victims failed first",
          "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    0,1,3: barrier @train.py:57 in main !failed
    0,1,3: raise "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:3541"
    2: late 60
    2: raise "ValueError: loss is nan" @train.py:45 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 3});
  CHECK(LineOf(finding, 2) == "train.py:45");
  CHECK(Says(finding.message(), "uncaught ValueError: loss is nan at train.py:45"));
}

TEST_CASE("a killed rank is named", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 x3
    1: vanish
    0,2,3: allreduce 8 f32 sum @train.py:41 !failed
    0,2,3: raise "RuntimeError: Connection closed by peer [127.0.0.1]:3541"
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(VictimsOf(finding) == Numbers{0, 2, 3});
  CHECK_FALSE(finding.returned_early());
  CHECK(LineOf(finding, 1) == "train.py:41");
}

TEST_CASE("a rank that is killed inside the call that all are in is named", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: barrier @train.py:7 !entered
    1: signal SEGV
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(VictimsOf(finding) == Numbers{0, 2});
}

TEST_CASE("torchrun's TERM after a rank was killed is no cause", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41
    1: vanish
    0,2,3: allreduce 8 f32 sum @train.py:41 !entered
    0,2,3: signal TERM
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(VictimsOf(finding) == Numbers{0, 2, 3});
}

TEST_CASE("a rank that is alive elsewhere is missing, with the line from its snapshot",
          "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    2: busy @train.py:44 in main>sleep_here
    0,1,3: barrier @train.py:57 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(LineOf(finding, 2) == "train.py:44");
  CHECK(finding.message() ==
        "rank 2 never entered barrier: it is alive at train.py:44 in sleep_here(); ranks 0, 1, 3 "
        "wait in barrier at train.py:57 for 100 s");
}

TEST_CASE("a missing rank is not cleared by the timeouts of its victims", "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    2: busy @train.py:44 in main
    0,1,3: barrier @train.py:57 in main !failed
    0,1,3: raise "RuntimeError: Timed out waiting 5000ms for recv operation to complete"
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1, 3});
}

TEST_CASE("a missing rank that the launcher kills in the end is still missing, not killed",
          "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    0,1,3: barrier @train.py:57 in main !failed
    0,1,3: raise "RuntimeError: Timed out waiting 5000ms for recv operation to complete"
    2: late 20
    2: vanish
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("a missing rank that left the function in which the others wait returned early",
          "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:80 in main>validate x3
    2: busy @train.py:95 in main>save
    0,1,3: allreduce 8 f32 sum @train.py:80 in main>validate
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(finding.returned_early());
  CHECK(Says(finding.message(), "rank 2 returned early: left validate()"));
}

TEST_CASE("a rank without a trace is not accused", "[missing_rank]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 4
    2: absent
    0,1,3: barrier @train.py:57
  )"));
  CHECK(First(report).kind() == "missing_rank");
  CHECK(First(report).ranks().empty());
  REQUIRE(report.limits_size() > 0);
  CHECK(Says(report.limits(0), "rank 2 not visible here"));
}

TEST_CASE("a rank whose trace breaks off is not accused", "[missing_rank]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41
    2: busy @train.py:42
    0,1,3: barrier @train.py:57
  )");
  job.inputs[2].state = "truncated";
  job.inputs[2].message = "ends at byte 5000 of 20480";
  const Report report = analyzer::Diagnose(job);
  CHECK(First(report).ranks().empty());
  CHECK(Says(report.limits(0), "truncated file: ends at byte 5000"));
}

TEST_CASE("a rank that came when its peers had given up is late", "[late_rank]") {
  analyzer::Job job = JobFromText(R"(
    world 3
    0,2: barrier @train.py:57 !failed
    0,2: raise "RuntimeError: Timed out waiting 5000ms for recv operation to complete"
    1: late 30
    1: barrier @train.py:57 !failed
    1: raise "RuntimeError: Connection closed by peer"
  )");
  // In the same call for as long as the others, nothing says that it was late.
  CHECK(First(analyzer::Diagnose(job)).kind() == "all_entered");
  analyzer::Call& call = job.processes[1].calls.back();
  call.completed_ns = call.entered_ns + 20'000'000;
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "late_rank");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(VictimsOf(finding) == Numbers{0, 2});
}

TEST_CASE("a call that few make and nobody else knows is theirs, not the others' fault",
          "[extra_call]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    0: barrier @train.py:50 in main>save
    1-3: exit 0
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{0});
}

TEST_CASE("of two ranks the one that ended is named, not the one that waits", "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 2
    0,1: allreduce 8 f32 sum @train.py:41 in main
    0: barrier @train.py:50 in main
    1: exit 0
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("ranks that wait in another group follow from the rank that left", "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 4
    comm tp 0,1
    comm dp 0,2
    0-3: allreduce 8 f32 sum @train.py:41
    1: exit 0
    0: allreduce 8 f32 sum @tp.py:5 on tp
    2: allreduce 8 f32 sum @dp.py:9 on dp
    3: barrier @train.py:57
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(VictimsOf(finding) == Numbers{0, 2, 3});
}

TEST_CASE("groups that are used in opposite order are a circle", "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 2
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a ; allreduce 8 f32 sum @x.py:2 on b
    1: allreduce 8 f32 sum @x.py:2 on b ; allreduce 8 f32 sum @x.py:1 on a
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("when all are inside and nothing completes, no rank is named", "[all_entered]") {
  const Finding finding = FirstOf(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 !entered
  )");
  CHECK(finding.kind() == "all_entered");
  CHECK(finding.ranks().empty());
  CHECK(VictimsOf(finding) == Numbers{0, 1, 2, 3});
}

TEST_CASE("the report does not depend on the order of processes and communicators", "[order]") {
  const analyzer::Job job = JobFromText(R"(
    world 4
    comm tp 0,1
    comm dp 0,2
    0-3: allreduce 8 f32 sum @train.py:41 in main
    1: exit 0
    0: allreduce 8 f32 sum @tp.py:5 on tp
    2: allreduce 8 f32 sum @dp.py:9 on dp
    3: barrier @train.py:57
  )");
  const std::string expected = analyzer::Diagnose(job).SerializeAsString();
  for (unsigned seed = 1; seed <= 24; ++seed)
    CHECK(analyzer::Diagnose(Shuffled(job, seed)).SerializeAsString() == expected);
}

TEST_CASE("ranks that only the library stopped are told when there is nothing better",
          "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 3
    0-2: allreduce 8 f32 sum @train.py:41 in main
    0: broadcast 8 f32 root=0 @train.py:42 in main !failed
    0: raise "RuntimeError: Connection closed by peer"
    1,2: raise "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running another one"
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1, 2});
  CHECK(Says(finding.message(), "Detected mismatch between collectives"));
}

TEST_CASE("a send whose partner is elsewhere names both ends", "[p2p_unmatched]") {
  const Finding finding = FirstOf(R"(
    world 3
    0: send 64 f32 to=1 @pp.py:8
    1: busy @pp.py:20 in main
  )");
  CHECK(finding.kind() == "p2p_unmatched");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  CHECK(LineOf(finding, 1) == "pp.py:20");
}

TEST_CASE("two sends that face each other are a circle", "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 2
    0: send 64 f32 to=1 @pp.py:8 ; recv 64 f32 from=1 @pp.py:9
    1: send 64 f32 to=0 @pp.py:8 ; recv 64 f32 from=0 @pp.py:9
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("a send and a receive with different tags are a mismatch", "[p2p_mismatch]") {
  const Finding finding = FirstOf(R"(
    world 2
    0: send 64 f32 to=1 tag=7 @pp.py:8
    1: recv 64 f32 from=0 tag=8 @pp.py:9
  )");
  CHECK(finding.kind() == "p2p_mismatch");
  CHECK(Says(finding.message(), "tag (7 and 8)"));
}

TEST_CASE("ranks that wait for a rank in a pipeline follow its wait", "[p2p_unmatched]") {
  const Finding finding = FirstOf(R"(
    world 3
    0: barrier @pp.py:30
    1: recv 64 f32 from=2 @pp.py:9
    2: busy @pp.py:20 in main
  )");
  // Rank 2 is missing in the barrier too, and nothing waits ahead of it.
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(VictimsOf(finding) == Numbers{0, 1});
}

TEST_CASE("missing ranks that share a machine are said to", "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 4
    host 0,1 node-a
    host 2,3 node-b
    0-3: allreduce 8 f32 sum @t.py:4 in main
    2,3: busy @t.py:20 in main>load
    0,1: barrier @t.py:9 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(Says(finding.message(), "they are alive, rank 2 at t.py:20"));
  bool said = false;
  for (const std::string& why : finding.why())
    said = said || Says(why, "all of them are on host node-b");
  CHECK(said);
}

}  // namespace
}  // namespace rollcall::tests
