// Loops: rounds that are left early, calls that are left out or made more in them.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a call of the round that is left out is no loop that was left", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 7
    backend nccl
    repeat 3 { 0-6: allreduce 175858 f32 sum @t.py:29 in main>train ; allreduce 100572 f32 sum @t.py:33 in main>train }
    0-6: allreduce 175858 f32 sum @t.py:29 in main>train
    0-4,6: allreduce 100572 f32 sum @t.py:33 in main>train
    repeat 4 { 0-6: allreduce 175858 f32 sum @t.py:29 in main>train ; allreduce 100572 f32 sum @t.py:33 in main>train }
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{5});
  CHECK(LineOf(finding, 5) == "t.py:29");
  CHECK(LineOf(finding, 0) == "t.py:33");
}

TEST_CASE("the loop is left for calls that were made behind it before", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 6
    backend nccl
    0-5: barrier @main.py:3 in main
    repeat 2 {
      repeat 4 { 0-5: allreduce 151145 f32 sum @train.py:14 in main>train }
      repeat 2 { 0-5: alltoall 22118400 f32 @eval.py:5 in main>evaluate }
    }
    0-5: allreduce 151145 f32 sum @train.py:14 in main>train x2
    0-2,4,5: allreduce 151145 f32 sum @train.py:14 in main>train x14
    repeat 2 { 0-5: alltoall 22118400 f32 @eval.py:5 in main>evaluate }
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(RanksOf(finding) == Numbers{3});
}

TEST_CASE("those that left the loop first are named, also when it went through silently",
          "[loops]") {
  const Finding finding = FirstOf(R"(
    world 5
    backend nccl
    repeat 4 { 0-4: allreduce 61544 f32 sum @train.py:12 in main }
    repeat 3 { 1,3: allreduce 61544 f32 sum @train.py:12 in main }
    repeat 2 { 0-4: allreduce 1 f32 sum @eval.py:7 in main }
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(RanksOf(finding) == Numbers{0, 2, 4});
}

TEST_CASE("one call more explains all, although the others got further", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 6
    backend nccl
    repeat 4 { 0-5: allgather 10432 bf16 @e.py:5 in main>evaluate ; allreduce 143360 bf16 avg @e.py:11 in main>evaluate ; barrier @e.py:20 in main>evaluate ; sync @e.py:21 in main>evaluate }
    0-5: allgather 10432 bf16 @e.py:5 in main>evaluate
    2: allreduce 832 f16 sum @note.py:3 in main>evaluate>note
    0-5: allreduce 143360 bf16 avg @e.py:11 in main>evaluate ; barrier @e.py:20 in main>evaluate ; sync @e.py:21 in main>evaluate
    repeat 2 { 0-5: allgather 10432 bf16 @e.py:5 in main>evaluate ; allreduce 143360 bf16 avg @e.py:11 in main>evaluate ; barrier @e.py:20 in main>evaluate ; sync @e.py:21 in main>evaluate }
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(LineOf(finding, 2) == "note.py:3");
}

TEST_CASE("an equal call from another place is an extra one when its maker has one more",
          "[loops]") {
  const Finding finding = FirstOf(R"(
    world 5
    backend gloo
    repeat 5 { 0-4: reduce 704 f32 min root=0 @d.py:13 in main>validate }
    3: reduce 704 f32 min root=0 @note.py:2 in main>validate>note
    0-4: reduce 704 f32 min root=0 @d.py:13 in main>validate
    0-4: finalize @main.py:10 in main
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{3});
  CHECK(LineOf(finding, 3) == "note.py:2");
}

TEST_CASE("an extra call that went through is told, not what hangs behind it", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 6
    backend gloo
    repeat 3 { 0-5: allreduce 173482 f32 sum @t.py:14 in main>train ; allreduce 154323 f32 sum @t.py:29 in main>train }
    0: allreduce 173482 f32 sum @note.py:6 in main>train>note
    repeat 3 { 0-5: allreduce 173482 f32 sum @t.py:14 in main>train ; allreduce 154323 f32 sum @t.py:29 in main>train }
  )");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(finding.position() == 6);
}

TEST_CASE("a majority that left the loop first is named, when it goes on to known calls",
          "[loops]") {
  const Finding finding = FirstOf(R"(
    world 4
    repeat 3 { 0-3: allreduce 171790 f32 sum @t.py:10 in main>train ; allreduce 179156 f32 sum @t.py:12 in main>train }
    repeat 2 { 0-3: allreduce 1314816 f64 sum @e.py:7 in main>evaluate }
    repeat 2 { 3: allreduce 1314816 f64 sum @e.py:7 in main>evaluate }
    repeat 3 { 0-3: allreduce 171790 f32 sum @t.py:10 in main>train ; allreduce 179156 f32 sum @t.py:12 in main>train }
  )");
  CHECK(finding.kind() == "uneven_rounds");
  CHECK(RanksOf(finding) == Numbers{0, 1, 2});
}

TEST_CASE("a call behind a loop that is left out is no longer loop", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 4
    repeat 4 { 0-3: allreduce 17 f32 sum @t.py:10 in main>train x3 ; barrier @s.py:12 in main>save }
    0-3: allreduce 17 f32 sum @t.py:10 in main>train x3
    0-2: barrier @s.py:12 in main>save
    0-3: allreduce 17 f32 sum @t.py:10 in main>train x3
  )");
  CHECK(finding.kind() == "skipped_call");
  CHECK(RanksOf(finding) == Numbers{3});
}

TEST_CASE("a call more in a loop that goes on behind it is no end of the loop", "[loops]") {
  const std::string round =
      "0,1: allreduce 8 f32 sum @t.py:40 in main ; allgather 9 f32 @t.py:41 in main ; allreduce 7 "
      "f32 sum @t.py:42 in main\n";
  const Finding finding =
      FirstOf("world 2\nbackend nccl\nrepeat 2 { " + round +
              " }\n1: allreduce 1 f32 sum @t.py:99 in main\nrepeat 200 { " + round + " }\n");
  CHECK(finding.kind() == "extra_call");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("two branches of one call are no shift when a rank ends later", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 2
    repeat 12 { 1: allreduce 6 f16 sum @r.py:2 in report ; 0: allreduce 6 f16 sum @r.py:9 in report ; 0,1: allgather 10560 bf16 @r.py:16 in report }
    1: exit 3 @r.py:20 in report
    0: allreduce 6 f16 sum @r.py:9 in report
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("another operation at a known line is no extra call", "[loops]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    repeat 4 { 0-2: allreduce 11 f32 min @c.py:4 in main>compute }
    0,2: allreduce 11 f32 min @c.py:4 in main>compute
    1: reduce 6016 f64 min root=2 @c.py:4 in main>compute
  )");
  CHECK(finding.kind() == "op_mismatch");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("two swapped calls in a loop are another order", "[loops]") {
  const std::string round =
      "allgather 331776 bf16 @c.py:3 in main>compute ; broadcast 1344 i64 root=0 @c.py:6 in "
      "main>compute";
  for (const std::string& behind : {std::string(), "repeat 2 { 0-4: " + round + " }\n"}) {
    const Finding finding = FirstOf(
        "world 5\nbackend nccl\nrepeat 2 { 0-4: " + round + " }\n0,2-4: " + round +
        "\n1: broadcast 1344 i64 root=0 @c.py:6 in main>compute ; allgather 331776 bf16 @c.py:3 in "
        "main>compute\n" +
        behind);
    CHECK(finding.kind() == "order_mismatch");
    CHECK(RanksOf(finding) == Numbers{1});
  }
}

}  // namespace
}  // namespace rollcall::tests
