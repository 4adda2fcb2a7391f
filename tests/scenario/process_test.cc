// What processes do beside their calls, and how they are at the end.
#include "tests/catch.h"
#include "tests/scenario/played.h"

namespace rollcall::tests {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST_CASE("calls that can complete do so before their process ends") {
  CHECK(Outcome("backend nccl\nworld 2\n*: allreduce 8 f32\n0: exit 0\n1: exit 0") == "cx cx");
}

TEST_CASE("ends are told apart") {
  const Played played(
      "world 6\n0: exit 3\n1: raise \"ValueError: x\" @t.py:5\n2: signal SEGV\n3: vanish\n"
      "4: signal KILL\n5: raise \"KeyError: y\" caught");
  CHECK(played.All() == "x e s k k ");
  CHECK(played.process(0).end.status == 3);
  CHECK(played.process(1).end.exception == "ValueError: x");
  CHECK(played.process(2).end.signal == 11);
  CHECK(played.process(5).end.exception == "KeyError: y");
}

TEST_CASE("a signal reaches a process inside a call, and later if it is said so") {
  const Played played("world 2\n0: barrier ; after 30 ; signal TERM\n1: busy @t.py:4");
  CHECK(played.All() == "ps ");
  CHECK(played.process(0).end.ns - played.process(0).calls[0].entered_ns >= 30 * kSecond);
}

TEST_CASE("who was killed long after it got busy has said where it was") {
  const Played played("world 2\n0: barrier @t.py:9\n1: busy @t.py:4 ; after 100 ; vanish");
  CHECK(played.All() == "p k");
  REQUIRE(played.process(1).snapshots.size() == 1);
  CHECK(played.process(1).snapshots[0].ns < played.process(1).end.ns);
}

TEST_CASE("who ended is not in the calls of the others") {
  CHECK(Outcome("world 2\n0: barrier ; vanish\n1: late 5 ; busy @t.py:1") == "pk ");
}

TEST_CASE("an absent process has no file") {
  CHECK_FALSE(Played("world 2\n1: absent").process(1).has_file);
}

TEST_CASE("a restart is another process with communicators of its own") {
  const Played played("world 2\n*: barrier ; restart ; barrier x2");
  CHECK(played.All() == "cs cs ccx ccx");
  CHECK(played.process(2).restarts == 1);
  CHECK(played.process(2).actor == 0);
  CHECK(played.process(2).started_ns > played.process(1).end.ns);
}

TEST_CASE("a restart goes on behind an end") {
  const Played played("world 2\n0: vanish\n1: signal TERM\n*: restart ; barrier");
  CHECK(played.All() == "k s cx cx");
}

TEST_CASE("late ranks let the others wait") {
  const Played played("world 2\n0: late 90 @save.py:7\n*: barrier");
  CHECK(played.All() == "cx cx");
  CHECK(played.process(1).calls[0].completed_ns - played.process(1).calls[0].entered_ns >=
        90 * kSecond);
  REQUIRE(played.process(0).snapshots.size() == 1);
  CHECK(played.process(0).snapshots[0].reason == "idle");
}

TEST_CASE("who is alive in the end says where it is") {
  const Played played(
      "world 4\n0: barrier @t.py:9\n1: busy @t.py:4\n2: busy @t.py:5 progressing\n3: blocked "
      "@t.py:6 on lock");
  REQUIRE(played.process(0).snapshots.size() == 1);
  CHECK(played.process(0).snapshots[0].reason == "hang");
  CHECK(played.process(0).snapshots[0].threads.at(0).inside);
  CHECK(played.process(1).snapshots.at(0).reason == "idle");
  CHECK(played.process(2).snapshots.size() == 2);
  CHECK(played.process(3).snapshots.size() == 1);
  CHECK(played.play.now_ns - played.process(0).calls[0].entered_ns >= 100 * kSecond);
}

TEST_CASE("backward passes are counted by site") {
  const Played played("world 1\n0: backward @t.py:4 x10 ; backward @t.py:5");
  REQUIRE(played.process(0).backward.size() == 2);
  CHECK(played.process(0).backward[0].passes == 10);
  CHECK(played.process(0).backward[0].last_ns > played.process(0).backward[0].first_ns);
}

TEST_CASE("a further process claims a rank and is in nobody's calls") {
  const Played played("world 2\nprocess p2 rank=1\n*,p2: barrier");
  CHECK(played.All() == "c c p");
  CHECK(played.scenario.RankOf(2) == 1);
}

TEST_CASE("devices are facts of a process") {
  CHECK(Played("world 1\n0: device 3").process(0).device == 3);
}

}  // namespace
}  // namespace rollcall::tests
