// Calls, streams and hosts that wait for each other; and what only looks like it.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("two communicators in opposite order on one stream are a circle", "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a ; allreduce 8 f32 sum @x.py:2 on b
    1: allreduce 8 f32 sum @x.py:2 on b ; allreduce 8 f32 sum @x.py:1 on a
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  CHECK(LineOf(finding, 0) == "x.py:1");
  CHECK(LineOf(finding, 1) == "x.py:2");
}

TEST_CASE("two communicators in opposite order on two streams go through") {
  CHECK(Judged(R"(
    world 2
    backend nccl
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a stream=1 ; allreduce 8 f32 sum @x.py:2 on b stream=2
    1: allreduce 8 f32 sum @x.py:2 on b stream=2 ; allreduce 8 f32 sum @x.py:1 on a stream=1
    0-1: sync @x.py:3
  )")
            .findings()
            .empty());
}

TEST_CASE("a host that waits between two communicators closes a circle", "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a stream=1 ; sync @x.py:9 ; allreduce 8 f32 sum @x.py:2 on b stream=2
    1: allreduce 8 f32 sum @x.py:2 on b stream=2 ; sync @x.py:9 ; allreduce 8 f32 sum @x.py:1 on a stream=1
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("a host that waits for another stream closes none") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a stream=1 ; sync stream=2 @x.py:9 ; busy @x.py:20
    1: allreduce 8 f32 sum @x.py:2 on b stream=2 ; sync stream=2 @x.py:9
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{0});
}

TEST_CASE("who entered another call of the circle first is named alone, if it is a minority",
          "[deadlock_cycle]") {
  const char* const backends[] = {"gloo", "nccl"};
  for (const char* backend : backends) {
    INFO(backend);
    const Finding finding = FirstOf(std::string("world 4\nbackend ") + backend + R"(
      comm tp 0,3
      0-2: allreduce 8 f32 sum @x.py:1 in main
      0: allreduce 8 f32 sum @x.py:2 in main on tp
      3: allreduce 8 f32 sum @x.py:2 in main on tp ; allreduce 8 f32 sum @x.py:1 in main
    )");
    CHECK(finding.kind() == "deadlock_cycle");
    CHECK(RanksOf(finding) == Numbers{3});
    CHECK(VictimsOf(finding) == Numbers{0, 1, 2});
    CHECK(finding.communicator() == "world");
  }
}

TEST_CASE("a ring of sends is a circle, grouped or with a receive first it is none",
          "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0: send 8 f32 to=1 @p.py:1 ; recv 8 f32 from=2 @p.py:2 ; sync @p.py:3
    1: send 8 f32 to=2 @p.py:1 ; recv 8 f32 from=0 @p.py:2 ; sync @p.py:3
    2: send 8 f32 to=0 @p.py:1 ; recv 8 f32 from=1 @p.py:2 ; sync @p.py:3
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1, 2});
  CHECK(LineOf(finding, 2) == "p.py:1");
  CHECK(Judged(R"(
    world 3
    backend nccl
    0: group { send 8 f32 to=1 @p.py:1 ; recv 8 f32 from=2 @p.py:2 }
    1: group { send 8 f32 to=2 @p.py:1 ; recv 8 f32 from=0 @p.py:2 }
    2: group { send 8 f32 to=0 @p.py:1 ; recv 8 f32 from=1 @p.py:2 }
    0-2: sync @p.py:3
  )")
            .findings()
            .empty());
  CHECK(Judged(R"(
    world 3
    backend nccl
    0: send 8 f32 to=1 @p.py:1 ; recv 8 f32 from=2 @p.py:2
    1: send 8 f32 to=2 @p.py:1 ; recv 8 f32 from=0 @p.py:2
    2: recv 8 f32 from=1 @p.py:2 ; send 8 f32 to=0 @p.py:1
    0-2: sync @p.py:3
  )")
            .findings()
            .empty());
}

TEST_CASE("a collective behind a send that waits for nobody's receive follows the send",
          "[p2p_unmatched]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    0: send 8 f32 to=1 @p.py:1 ; allreduce 8 f32 sum @x.py:1 ; sync @x.py:2
    1: allreduce 8 f32 sum @x.py:1 ; busy @x.py:9
  )");
  CHECK(finding.kind() == "p2p_unmatched");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("a circle behind a rank that died is a consequence", "[killed]") {
  const Finding finding = FirstOf(R"(
    world 3
    comm a 0,1
    2: vanish
    0: allreduce 8 f32 sum @x.py:1
    1: allreduce 8 f32 sum @x.py:2 on a
  )");
  CHECK(finding.kind() == "killed");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("a finalize that waits for queued work takes part in a circle", "[deadlock_cycle]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    comm a 0,1
    comm b 0,1
    0: allreduce 8 f32 sum @x.py:1 on a ; finalize on a @x.py:5 ; allreduce 8 f32 sum @x.py:2 on b
    1: allreduce 8 f32 sum @x.py:2 on b ; finalize on b @x.py:5 ; allreduce 8 f32 sum @x.py:1 on a
  )");
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("a receive that is larger than the send that it meets is a mismatch", "[p2p_mismatch]") {
  const Report report = Judged(R"(
    world 2
    backend nccl
    0: send 3 f32 to=1 @p.py:1 ; sync @p.py:2
    1: recv 4 f32 from=0 @p.py:3 ; sync @p.py:4
  )");
  REQUIRE(report.findings_size() > 0);
  CHECK(report.findings(0).kind() == "p2p_mismatch");
}

TEST_CASE("who both sent before they received would wait for each other with larger messages",
          "[deadlock_cycle]") {
  const char* const job = R"(
    world 2
    backend nccl
    0: send 8 f32 to=1 @p.py:1 !completed ; recv 8 f32 from=1 @p.py:2 !completed
    1: send 8 f32 to=0 @p.py:1 !completed ; recv 8 f32 from=0 @p.py:2 !completed
  )";
  const Finding finding = FirstOf(job);
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(finding.severity() == "warning");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  // On two streams neither waits for the other.
  std::string apart = job;
  for (std::size_t at = apart.find("recv"); at != std::string::npos;
       at = apart.find("recv", at + 1))
    apart.insert(apart.find("!completed", at), "stream=1 ");
  CHECK(Judged(apart).findings().empty());
}

TEST_CASE("who waits for a rank that has no trace is not accused", "[missing_rank]") {
  const Report report = Judged(R"(
    world 3
    0: recv 64 f32 from=1 @t.py:6
    1: recv 64 f32 from=2 @t.py:7
    2: absent
  )");
  REQUIRE(report.findings_size() == 1);
  CHECK(report.findings(0).kind() == "missing_rank");
  CHECK(report.findings(0).ranks().empty());
  CHECK(Says(report.findings(0).message(), "for rank 2, whose part is not visible here"));
}

TEST_CASE("a circle is still one when all gave up and took their groups down", "[deadlock_cycle]") {
  analyzer::Job job = JobFromText(R"(
    world 4
    comm a 0,1,2,3
    comm b 0,1,2,3
    0-3: barrier @o.py:3 in main on a ; barrier @o.py:4 in main on b
    0: allreduce 4 f32 sum on a @o.py:9 in main !failed
    1-3: allreduce 4 f32 sum on b @o.py:9 in main !failed
    *: raise "RuntimeError: Timed out waiting 5000ms for send operation to complete"
  )");
  for (analyzer::Process& process : job.processes) {
    for (analyzer::CommunicatorHandle& handle : process.communicators)
      handle.gone_ns = process.end.ns;
  }
  const Finding finding = First(analyzer::Diagnose(job));
  CHECK(finding.kind() == "deadlock_cycle");
  CHECK(RanksOf(finding) == std::vector<int>{0});
}

}  // namespace
}  // namespace rollcall::tests
