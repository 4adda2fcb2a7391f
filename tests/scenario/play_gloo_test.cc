// Gloo: calls block their hosts, and mismatches end as they were observed.
#include "tests/catch.h"
#include "tests/scenario/played.h"

namespace rollcall::tests {
namespace {

TEST_CASE("a job in step completes and exits") {
  CHECK(Outcome("world 3\n*: allreduce 8 f32 x2 ; barrier") == "cccx cccx cccx");
}

TEST_CASE("who is missing keeps the others inside") {
  CHECK(Outcome("world 3\n*: barrier\n0,1: barrier") == "cp cp c");
}

TEST_CASE("calls behind a hanging one are not made") {
  CHECK(Outcome("world 2\n0: barrier ; allreduce 8 f32") == "p ");
}

TEST_CASE("different operations hang") {
  CHECK(Outcome("world 2\n0: allreduce 8 f32 ; broadcast 8 f32 root=0\n"
                "1: broadcast 8 f32 root=0 ; allreduce 8 f32") == "p p");
}

TEST_CASE("the smaller buffer aborts, the others fail") {
  const Played played("world 3\n0,2: allreduce 20 f32\n1: allreduce 10 f32");
  CHECK(played.All() == "fe ps fe");
  CHECK(played.process(1).end.signal == 6);
  CHECK(played.process(0).end.exception.find("Connection reset by peer") != std::string::npos);
}

TEST_CASE("a broadcast into a smaller buffer aborts the receiver alone") {
  CHECK(Outcome("world 3\n0: broadcast 20 f32 root=0\n1: broadcast 10 f32 root=0\n"
                "2: broadcast 20 f32 root=0") == "c ps c");
  CHECK(Outcome("world 2\n0: broadcast 10 f32 root=0\n1: broadcast 20 f32 root=0") == "cx cx");
}

TEST_CASE("equal sizes of other types and reduce operations go wrong silently") {
  CHECK(Outcome("world 2\n0: allreduce 8 f32 sum\n1: allreduce 8 i32 max") == "cx cx");
}

TEST_CASE("who takes a broadcast from the wrong root waits") {
  CHECK(Outcome("world 4\n0,1,3: broadcast 8 f32 root=0\n2: broadcast 8 f32 root=1") == "c c p c");
}

TEST_CASE("sends meet receives by tag, in order, and wait for each other") {
  CHECK(Outcome("world 2\n0: send 8 f32 to=1 tag=1 ; recv 8 f32 from=1\n"
                "1: recv 8 f32 from=0 tag=1 ; send 8 f32 to=0") == "ccx ccx");
  CHECK(Outcome("world 2\n0: send 8 f32 to=1 tag=1\n1: recv 8 f32 from=0 tag=2") == "p p");
  CHECK(Outcome("world 2\n0: send 8 f32 to=1 ; recv 8 f32 from=1\n"
                "1: send 8 f32 to=0 ; recv 8 f32 from=0") == "p p");
  CHECK(Outcome("world 2\n0: send 9 f32 to=1\n1: recv 8 f32 from=0") == "c ps");
}

TEST_CASE("a batch of sends and receives progresses as one") {
  CHECK(Outcome("world 2\n0: group { send 8 f32 to=1 ; recv 8 f32 from=1 }\n"
                "1: group { send 8 f32 to=0 ; recv 8 f32 from=0 }") == "ccx ccx");
}

TEST_CASE("async calls on two communicators may cross, blocking ones may not") {
  const std::string facts = "world 2\ncomm a 0,1\ncomm b 0,1\n";
  CHECK(Outcome(facts + "0: allreduce 8 f32 on a async ; allreduce 8 f32 on b async ; wait\n"
                        "1: allreduce 8 f32 on b async ; allreduce 8 f32 on a async ; wait") ==
        "ccx ccx");
  CHECK(Outcome(facts + "0: allreduce 8 f32 on a ; allreduce 8 f32 on b\n"
                        "1: allreduce 8 f32 on b ; allreduce 8 f32 on a") == "p p");
}

TEST_CASE("threads of one process make calls of their own") {
  const std::string facts = "world 2\ncomm a 0,1\ncomm b 0,1\n";
  CHECK(Outcome(facts + "0: allreduce 8 f32 on a thread=0 ; allreduce 8 f32 on b thread=1\n"
                        "1: allreduce 8 f32 on b ; allreduce 8 f32 on a") == "ccx ccx");
}

TEST_CASE("states can be forced") {
  CHECK(Outcome("world 2\n0: barrier !entered ; barrier\n1: barrier") == "p c");
  CHECK(Outcome("world 2\n0: barrier !completed ; barrier !failed ; barrier !aborted") == "cfa ");
  CHECK(Outcome("world 2\n0: barrier !queued ; barrier !completed") == "pc ");
}

TEST_CASE("a mismatched name of a communicator is told with its place") {
  const auto parsed =
      analyzer::scenario::ParseScenario("world 2\ncomm tp 0,1\n0: barrier on to", "s.txt");
  REQUIRE(parsed.ok());
  const auto played = analyzer::scenario::PlayScenario(*parsed);
  REQUIRE_FALSE(played.ok());
  CHECK(std::string(played.status().message()) ==
        "s.txt:3:4: expected a communicator that rank 0 is in at this point, found 'to'; did you "
        "mean 'tp'?");
}

}  // namespace
}  // namespace rollcall::tests
