// NCCL: calls queue on streams and match by order per communicator.
#include "tests/catch.h"
#include "tests/scenario/played.h"

namespace rollcall::tests {
namespace {

const char kWorld[] = "backend nccl\nworld 2\ncomm a 0,1\ncomm b 0,1\n";

std::string Nccl(const std::string& text) {
  return Outcome(kWorld + text);
}

TEST_CASE("the host goes on while its calls are queued") {
  CHECK(Nccl("*: allreduce 8 f32\n0: allreduce 8 f32 x2") == "cpp c");
}

TEST_CASE("sync waits for what is queued") {
  CHECK(Nccl("*: allreduce 8 f32 ; sync") == "ccx ccx");
  CHECK(Nccl("0: allreduce 8 f32 ; sync ; allreduce 8 f32") == "pp ");
}

TEST_CASE("a barrier is an allreduce of one element") {
  const Played played(std::string(kWorld) + "*: barrier");
  CHECK(played.All() == "cx cx");
  CHECK(played.scenario.statements[0].operation == OPERATION_ALLREDUCE);
  CHECK(Nccl("0: barrier\n1: allreduce 5 f32") == "cx cx");
}

TEST_CASE("bytes count in steps of 512 KiB") {
  CHECK(Nccl("0: allreduce 409600 f32\n1: allreduce 409598 f32") == "cx cx");
  CHECK(Nccl("0: allreduce 409600 f32\n1: allreduce 32768000 f32") == "c p");
}

TEST_CASE("other operations wait, other roots and reduce operations complete") {
  CHECK(Nccl("0: allreduce 8 f32\n1: broadcast 8 f32 root=0") == "p p");
  CHECK(Nccl("0: reduce 8 f32 root=0\n1: reduce 8 f32 max root=1") == "cx cx");
}

TEST_CASE("communicators in another order hang on one stream, not on two") {
  CHECK(Nccl("0: allreduce 8 f32 on a ; allreduce 8 f32 on b\n"
             "1: allreduce 8 f32 on b ; allreduce 8 f32 on a") == "pp pp");
  CHECK(Nccl("0: allreduce 8 f32 on a ; allreduce 8 f32 on b stream=1\n"
             "1: allreduce 8 f32 on b stream=1 ; allreduce 8 f32 on a") == "ccx ccx");
}

TEST_CASE("streams do not change the order on a communicator") {
  CHECK(Nccl("0: allreduce 8 f32 !queued ; allreduce 8 f32 stream=1\n1: allreduce 8 f32 x2") ==
        "pp cp");
}

TEST_CASE("sends that face each other hang, grouped ones do not") {
  CHECK(Nccl("0: send 8 f32 to=1 ; recv 8 f32 from=1\n1: send 8 f32 to=0 ; recv 8 f32 from=0") ==
        "pp pp");
  CHECK(Nccl("0: group { send 8 f32 to=1 ; recv 8 f32 from=1 }\n"
             "1: group { send 8 f32 to=0 ; recv 8 f32 from=0 }") == "ccx ccx");
  CHECK(Nccl("0: send 3 f32 to=1\n1: recv 4 f32 from=0") == "c p");
}

TEST_CASE("an unclosed group launches nothing, a group end alone fails") {
  CHECK(Nccl("0: group_start ; allreduce 8 f32\n1: allreduce 8 f32") == "cp p");
  CHECK(Nccl("0: group_end") == "f ");
  CHECK(Nccl("*: group_start ; allreduce 8 f32 ; allreduce 8 f32 on a ; group_end") ==
        "ccccx ccccx");
}

TEST_CASE("finalize waits for all members and for queued work") {
  CHECK(Nccl("*: allreduce 8 f32 on a ; finalize on a ; destroy on a") == "cccx cccx");
  CHECK(Nccl("0: finalize on a ; barrier") == "p ");
  CHECK(Nccl("0: allreduce 8 f32 on a ; finalize on a\n1: finalize on a") == "pp p");
}

TEST_CASE("destroy and abort do not wait, and what follows fails") {
  CHECK(Nccl("0: destroy on a ; allreduce 8 f32 on a") == "cf ");
  CHECK(Nccl("0: allreduce 8 f32 on a ; abort on a ; sync") == "acc ");
}

TEST_CASE("a split makes communicators of its colours") {
  const Played played(
      "backend nccl\nworld 4\n0,1: split color=1 as sub\n2: split color=2 as sub\n"
      "3: split color=-\n0,1,2: allreduce 8 f32 on sub");
  CHECK(played.All() == "ccx ccx ccx cx");
  CHECK(played.process(1).communicators.back().members == std::vector<int>{0, 1});
  CHECK(played.process(1).communicators.back().rank == 1);
  CHECK(played.process(2).communicators.back().size == 1);
  CHECK(played.process(3).communicators.size() == 1);
  CHECK(Outcome("backend nccl\nworld 2\n0: split color=1") == "p ");
}

TEST_CASE("keys order the members of a split") {
  const Played played("backend nccl\nworld 2\n0: split color=1 key=5\n1: split color=1 key=2");
  CHECK(played.process(0).communicators.back().members == std::vector<int>{1, 0});
}

TEST_CASE("a shrink is a call of its survivors") {
  const Played played(
      "backend nccl\nworld 3\n0,1: shrink without=2 as rest ; allreduce 8 f32 on rest\n2: vanish");
  CHECK(played.All() == "cc cc k");
  CHECK(played.process(1).communicators.back().size == 2);
}

TEST_CASE("a creation waits for all its members") {
  CHECK(Outcome("backend nccl\nworld 2\n*: init x size=2 ; allreduce 8 f32 on x") == "ccx ccx");
  CHECK(Outcome("backend nccl\nworld 2\n*: init x size=3") == "p p");
  CHECK(Outcome("backend nccl\nworld 2\n0: init x size=2 id=A\n1: init x size=2 id=B") == "p p");
  CHECK(Outcome("backend nccl\nworld 2\n0: init x size=2\n1: init x size=2 fails 2") == "p f");
  CHECK(Outcome("world 2\n*: init world size=2 ; barrier") == "ccx ccx");
  CHECK(Outcome("world 2\n*: rendezvous size=2 ; barrier") == "ccx ccx");
  CHECK(Outcome("world 2\n*: rendezvous size=3") == "p p");
}

TEST_CASE("calls of the host alone can be forced") {
  CHECK(Nccl("*: sync !entered ; allreduce 8 f32") == "p p");
  CHECK(Nccl("*: group_start ; allreduce 8 f32 ; group_end !entered ; sync") == "cpp cpp");
  CHECK(Nccl("0: abort on a !entered ; sync") == "p ");
}

TEST_CASE("alltoall compares sizes when it has no splits") {
  CHECK(Nccl("0: alltoall 8 f32\n1: alltoall 8000000 f32") == "c p");
  CHECK(Nccl("0: alltoall 3 f32 splits=1,2\n1: alltoall 8000000 f32 splits=2,7999998") == "cx cx");
}

TEST_CASE("a replay makes the captured calls again") {
  CHECK(Nccl("*: capture g { allreduce 8 f32 ; allgather 4 f32 } ; replay g x2") == "ggccccx ggccccx");
  CHECK(Nccl("*: capture g { allreduce 8 f32 }\n0: replay g x2\n1: replay g") == "gcp gc");
}

}  // namespace
}  // namespace rollcall::tests
