// When snapshots are due.
#include "interpose/core/life/hang_watch.h"

#include <cstring>

#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

HangInputs At(std::uint64_t seconds) {
  HangInputs inputs{};
  inputs.now_ns = seconds * kSecond;
  inputs.hang_ns = 60 * kSecond;
  inputs.last_call_ns = 1;
  return inputs;
}

HangInputs PendingAt(std::uint64_t seconds, std::uint64_t row, std::uint64_t entered_seconds) {
  HangInputs inputs = At(seconds);
  inputs.pending_row = row;
  inputs.entered_ns = entered_seconds * kSecond;
  inputs.last_call_ns = inputs.entered_ns;
  return inputs;
}

bool Is(const HangDecision& decision, const char* reason) {
  return decision.reason != nullptr && std::strcmp(decision.reason, reason) == 0;
}

}  // namespace

TEST_CASE("a call that is pending for less than a hang is no hang", "[hang_watch]") {
  HangWatch watch;
  CHECK(DecideSnapshot(watch, PendingAt(159, 5, 100)).reason == nullptr);
}

TEST_CASE("a hang is seen when it is due, and the others are asked once", "[hang_watch]") {
  HangWatch watch;
  const HangDecision first = DecideSnapshot(watch, PendingAt(160, 5, 100));
  CHECK(Is(first, "hang"));
  CHECK(first.ask_others);
  CHECK(DecideSnapshot(watch, PendingAt(161, 5, 100)).reason == nullptr);
  const HangDecision second = DecideSnapshot(watch, PendingAt(170, 5, 100));
  CHECK(Is(second, "hang"));
  CHECK_FALSE(second.ask_others);
}

TEST_CASE("another call that hangs is another hang", "[hang_watch]") {
  HangWatch watch;
  DecideSnapshot(watch, PendingAt(160, 5, 100));
  CHECK(DecideSnapshot(watch, PendingAt(161, 6, 101)).ask_others);
}

TEST_CASE("snapshots of one hang become rarer and never stop", "[hang_watch]") {
  HangWatch watch;
  std::uint64_t last = 0;
  std::uint64_t longest = 0;
  int taken = 0;
  for (std::uint64_t second = 160; second < 100'000; ++second) {
    if (DecideSnapshot(watch, PendingAt(second, 5, 100)).reason == nullptr) continue;
    if (last != 0) longest = second - last;
    last = second;
    ++taken;
  }
  CHECK(longest == 600);
  CHECK(taken > 100'000 / 600);
  CHECK(taken < 100'000 / 600 + 10);
}

TEST_CASE("a process that made no call for so long is idle", "[hang_watch]") {
  HangWatch watch;
  CHECK(DecideSnapshot(watch, At(59)).reason == nullptr);
  const HangDecision decision = DecideSnapshot(watch, At(61));
  CHECK(Is(decision, "idle"));
  CHECK_FALSE(decision.ask_others);
}

TEST_CASE("a call that has just ended makes a process busy", "[hang_watch]") {
  HangWatch watch;
  DecideSnapshot(watch, PendingAt(160, 5, 1));
  CHECK(DecideSnapshot(watch, At(161)).reason == nullptr);
  CHECK(DecideSnapshot(watch, At(219)).reason == nullptr);
  CHECK(Is(DecideSnapshot(watch, At(220)), "idle"));
}

TEST_CASE("a process without a group is never idle", "[hang_watch]") {
  HangWatch watch;
  HangInputs inputs = At(1000);
  inputs.last_call_ns = 0;
  CHECK(DecideSnapshot(watch, inputs).reason == nullptr);
}

TEST_CASE("a hang time of zero switches snapshots of hangs off", "[hang_watch]") {
  HangWatch watch;
  HangInputs inputs = PendingAt(1000, 5, 1);
  inputs.hang_ns = 0;
  CHECK(DecideSnapshot(watch, inputs).reason == nullptr);
}

TEST_CASE("a clock read before the call was entered is no age", "[hang_watch]") {
  HangWatch watch;
  CHECK(DecideSnapshot(watch, PendingAt(99, 5, 100)).reason == nullptr);
}

}  // namespace rollcall::interpose
