// How communicators are used up, and devices: aborts, misuse, shared devices, devices that stay
// behind, environments that differ. Each with the look-alike that is correct.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("who aborts a communicator that others use is named", "[aborted]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main x3
    1-2: allreduce 8 f32 sum @t.py:4 in main
    0: abort @t.py:30 in main>cleanup
  )");
  CHECK(finding.kind() == "aborted");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(VictimsOf(finding) == Numbers{1, 2});
  CHECK(LineOf(finding, 0) == "t.py:30");
}

TEST_CASE("who aborts because a peer never came is a victim", "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main x3
    0-1: allreduce 8 f32 sum @t.py:4 in main
    0: after 30 ; abort @t.py:30 in main>watchdog
    2: busy @t.py:50 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("a job that aborts everywhere at its end is correct", "[aborted]") {
  CHECK(Judged(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main x3 ; sync @t.py:5 in main
    0-2: abort @t.py:30 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("who sits in finalize while others make a call has left", "[early_exit]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main x3
    0,2: allreduce 8 f32 sum @t.py:4 in main
    1: finalize @t.py:20 in main
  )");
  CHECK(finding.kind() == "early_exit");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("who is missing from a finalize that the others wait in is named", "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:4 in main x3
    0,2: finalize @t.py:20 in main
    1: busy @t.py:9 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("a shrink is no call of those that it leaves out") {
  CHECK(Judged(R"(
    world 4
    backend nccl
    0-3: allreduce 8 f32 sum @t.py:4 in main
    0-2: shrink without=3 as rest @t.py:5 in main
    0-3: allreduce 8 f32 sum @t.py:6 in main
    0-3: sync @t.py:7 in main
  )")
            .findings()
            .empty());
  const Finding finding = FirstOf(R"(
    world 4
    backend nccl
    0-3: allreduce 8 f32 sum @t.py:4 in main
    0,1: shrink without=3 as rest @t.py:5 in main
    2: busy @t.py:9 in main
    3: busy @t.py:20 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{2});
}

TEST_CASE("a device that completes less than its peers is named", "[device_stall]") {
  const Finding finding = FirstOf(R"(
    world 4
    backend nccl
    0-3: allreduce 64 f32 sum @t.py:4 in main x20
    2: allreduce 64 f32 sum @t.py:4 in main !queued ; allreduce 64 f32 sum @t.py:4 in main x4
    0,1,3: allreduce 64 f32 sum @t.py:4 in main x5
  )");
  CHECK(finding.kind() == "device_stall");
  CHECK(RanksOf(finding) == Numbers{2});
  CHECK(finding.position() == 20);
}

TEST_CASE("a device that waits for a peer is not stalled", "[missing_rank]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    comm tp 1,2
    0-2: allreduce 64 f32 sum @t.py:4 in main x20
    2: allreduce 8 f32 sum on tp @t.py:8 in main
    2: allreduce 64 f32 sum @t.py:4 in main
    0,1: allreduce 64 f32 sum @t.py:4 in main !completed
    0: sync @t.py:9 in main
    1: busy @t.py:30 in main
  )");
  CHECK(finding.kind() == "missing_rank");
  CHECK(RanksOf(finding) == Numbers{1});
}

TEST_CASE("two ranks on one device are named, on one number of two hosts they are not",
          "[duplicate_device]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    0-1: device 0
    0-1: init world size=2 @m.py:3 in main !entered
  )");
  CHECK(finding.kind() == "duplicate_device");
  CHECK(RanksOf(finding) == Numbers{0, 1});
  CHECK(FirstOf(R"(
    world 2
    backend nccl
    host 1 node-b
    0-1: device 0
    0-1: init world size=2 @m.py:3 in main !entered
  )")
            .kind() == "all_entered");
  CHECK(FirstOf(R"(
    world 2
    backend nccl
    env 0 CUDA_VISIBLE_DEVICES=0
    env 1 CUDA_VISIBLE_DEVICES=1
    0-1: device 0
    0-1: init world size=2 @m.py:3 in main !entered
  )")
            .kind() == "all_entered");
}

TEST_CASE("a communicator whose ranks share a device and that works is correct") {
  CHECK(Judged(R"(
    world 2
    backend nccl
    0-1: device 0
    0-1: allreduce 8 f32 sum @m.py:3 in main ; sync @m.py:4 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("a communicator that is used after its destroy is misused", "[group_misuse]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    comm tp 0,1
    0-1: allreduce 8 f32 sum on tp @t.py:3 in main ; sync @t.py:4 in main ; destroy on tp @t.py:9 in main
    0: allreduce 8 f32 sum on tp @t.py:12 in main
    1: busy @t.py:20 in main
  )");
  CHECK(finding.kind() == "group_misuse");
  CHECK(RanksOf(finding) == Numbers{0});
  CHECK(LineOf(finding, 0) == "t.py:12");
  CHECK(finding.message() ==
        "rank 0 used communicator tp after its destroy_process_group at t.py:9: called allreduce "
        "at t.py:12 in main()");
}

TEST_CASE("destroying behind a finalize is right") {
  CHECK(Judged(R"(
    world 2
    backend nccl
    0-1: allreduce 8 f32 sum @t.py:3 in main ; finalize @t.py:8 in main ; destroy @t.py:9 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("a group that is never closed is misused", "[group_misuse]") {
  const Finding finding = FirstOf(R"(
    world 3
    backend nccl
    0-2: allreduce 8 f32 sum @t.py:3 in main
    1: group_start @t.py:4 in main ; allreduce 8 f32 sum @t.py:5 in main ; sync @t.py:7 in main
    0,2: allreduce 8 f32 sum @t.py:5 in main ; sync @t.py:7 in main
  )");
  CHECK(finding.kind() == "group_misuse");
  CHECK(RanksOf(finding) == Numbers{1});
  CHECK(Judged(R"(
    world 3
    backend nccl
    1: group_start @t.py:4 in main ; allreduce 8 f32 sum @t.py:5 in main ; group_end @t.py:6 in main
    0,2: allreduce 8 f32 sum @t.py:5 in main
    0-2: sync @t.py:7 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("two threads whose calls come in another order by rank are a race", "[group_misuse]") {
  const Finding finding = FirstOf(R"(
    world 2
    backend nccl
    0-1: allreduce 4194304 f32 sum @train.py:12 in step x4
    0: allreduce 4194304 f32 sum @train.py:12 in step ; allgather 64 u8 @save.py:30 in write thread=1
    1: allgather 64 u8 @save.py:30 in write thread=1 ; allreduce 4194304 f32 sum @train.py:12 in step
  )");
  CHECK(finding.kind() == "group_misuse");
  CHECK(RanksOf(finding) == Numbers{0, 1});
}

TEST_CASE("two threads that take turns in one order are correct") {
  CHECK(Judged(R"(
    world 2
    backend nccl
    0-1: allreduce 4194304 f32 sum @train.py:12 in step ; allgather 64 u8 @save.py:30 in write thread=1
    0-1: sync @train.py:20 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("variables that must agree are a warning, and why it may hang", "[env_mismatch]") {
  const Report report = Judged(R"(
    world 3
    backend nccl
    env 2 NCCL_ALGO=Tree
    0-2: allgather 512 f32 @t.py:3 in main !queued
  )");
  REQUIRE(report.findings_size() == 2);
  CHECK(report.findings(0).kind() == "all_entered");
  CHECK(Says(report.findings(0).why(report.findings(0).why_size() - 1), "NCCL_ALGO"));
  CHECK(report.findings(1).kind() == "env_mismatch");
  CHECK(report.findings(1).severity() == "warning");
  CHECK(RanksOf(report.findings(1)) == Numbers{2});
}

TEST_CASE("variables that may differ, or of a library that is not used, are nobody's fault") {
  CHECK(Judged(R"(
    world 2
    backend nccl
    env 1 NCCL_SOCKET_IFNAME=eth1
    env 1 NCCL_DEBUG=INFO
    env 1 TORCH_DISTRIBUTED_DEBUG=INFO
    0-1: allreduce 8 f32 sum @t.py:3 in main ; sync @t.py:4 in main
  )")
            .findings()
            .empty());
  CHECK(Judged(R"(
    world 2
    env 1 NCCL_ALGO=Tree
    0-1: allreduce 8 f32 sum @t.py:3 in main
  )")
            .findings()
            .empty());
}

TEST_CASE("a creation that some have left and others have not is incomplete", "[init_incomplete]") {
  const Finding finding = FirstOf(R"(
    world 4
    backend nccl
    0,1: init world size=4 @m.py:3 in main !completed ; allreduce 8 f32 sum @m.py:9 in main
    2,3: init world size=4 @m.py:3 in main !entered
  )");
  CHECK(finding.kind() == "init_incomplete");
  CHECK(RanksOf(finding) == Numbers{2, 3});
}

TEST_CASE("a group that lacks a member which no trace names accuses nobody", "[init_incomplete]") {
  const Finding finding = FirstOf(R"(
    world 4
    backend nccl
    0-3: allreduce 8 f32 sum @t.py:1 in main
    0-1: init column size=3 @t.py:9 in main>make_column
    2: busy @t.py:30
    3: busy @t.py:40
  )");
  CHECK(finding.kind() == "init_incomplete");
  CHECK(finding.ranks().empty());
  CHECK(VictimsOf(finding) == Numbers{0, 1});
  CHECK(LineOf(finding, 0) == "t.py:9");
}

}  // namespace
}  // namespace rollcall::tests
