// Gradients that nobody reduces, or that are reduced twice; and jobs that only look like it.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("backward passes without any reduction are a warning", "[no_gradient_sync]") {
  const Report report = Judged(R"(
    world 4
    repeat 10 { *: backward @train.py:40 in main ; allreduce 1 f32 sum @train.py:44 in main }
    *: barrier @train.py:50 in main
  )");
  REQUIRE(report.findings_size() == 1);
  CHECK(First(report).kind() == "no_gradient_sync");
  CHECK(First(report).severity() == "warning");
  CHECK(RanksOf(First(report)) == Numbers{0, 1, 2, 3});
  CHECK(LineOf(First(report), 2) == "train.py:40");
  CHECK(Says(First(report).message(), "10 backward passes each at train.py:40"));
}

TEST_CASE("the same user code with a reduction in it is silent", "[no_gradient_sync]") {
  for (const char* step :
       {// DistributedDataParallel
        "backward @train.py:40 in main ; allreduce 1000 f32 sum in-backward @train.py:40 in main",
        // no_sync: three of four passes accumulate
        "backward @train.py:38 in main x3 ; backward @train.py:40 in main ; allreduce 1000 f32 sum "
        "in-backward @train.py:40 in main",
        // by hand
        "backward @train.py:40 in main ; allreduce 600 f32 sum @train.py:42 in main ; allreduce "
        "400 "
        "f32 sum @train.py:42 in main",
        // FSDP
        "allgather 250 f32 @train.py:39 in main ; backward @train.py:40 in main ; reducescatter "
        "1000 f32 sum in-backward @train.py:40 in main"}) {
    INFO(step);
    CHECK(Judged("world 4\nrepeat 10 { *: " + std::string(step) + " }\n").findings().empty());
  }
}

TEST_CASE("who has nobody to share gradients with is silent", "[no_gradient_sync]") {
  CHECK(Judged("world 1\n0: allreduce 1 f32 sum @t.py:3 ; backward @t.py:4 x50\n")
            .findings()
            .empty());
  // One learner among actors.
  CHECK(Judged("world 3\n*: barrier @t.py:3\n0: backward @t.py:4 x50\n*: barrier @t.py:5\n")
            .findings()
            .empty());
  // An evaluation loop has no backward pass.
  CHECK(Judged("world 3\n*: allreduce 1 f32 sum @t.py:3 x50\n").findings().empty());
}

TEST_CASE("stages of a pipeline exchange gradients by send and receive", "[no_gradient_sync]") {
  CHECK(Judged(R"(
    world 2
    repeat 10 { 0: send 64 f32 to=1 @p.py:3 ; recv 64 f32 from=1 @p.py:4 ; 1: recv 64 f32 from=0 @p.py:3 ; backward @p.py:5 ; send 64 f32 to=0 @p.py:6 ; 0: backward @p.py:7 }
  )")
            .findings()
            .empty());
}

TEST_CASE("gradients that DDP and the user reduce are a warning", "[double_gradient_sync]") {
  const Report report = Judged(R"(
    world 2
    repeat 6 { *: backward @train.py:40 in main ; allreduce 700 f32 sum in-backward @train.py:40 in main ; allreduce 300 f32 sum in-backward @train.py:40 in main ; allreduce 600 f32 sum @train.py:42 in main>average ; allreduce 400 f32 sum @train.py:42 in main>average ; allreduce 1 f32 sum @train.py:44 in main }
  )");
  REQUIRE(report.findings_size() == 1);
  CHECK(First(report).kind() == "double_gradient_sync");
  CHECK(First(report).severity() == "warning");
  CHECK(RanksOf(First(report)) == Numbers{0, 1});
  CHECK(LineOf(First(report), 0) == "train.py:42");
}

TEST_CASE("other reductions beside those of DDP are silent", "[double_gradient_sync]") {
  for (const char* more :
       {"allreduce 1 f32 sum @train.py:44 in main", "allreduce 999 f32 sum @train.py:44 in main",
        "allgather 1000 f32 @train.py:44 in main"}) {
    CHECK(Judged("world 2\nrepeat 6 { *: backward @train.py:40 in main ; allreduce 1000 f32 sum "
                 "in-backward @train.py:40 in main ; " +
                 std::string(more) + " }\n")
              .findings()
              .empty());
  }
}

}  // namespace
}  // namespace rollcall::tests
