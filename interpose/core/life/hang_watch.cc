#include "interpose/core/life/hang_watch.h"

#include <algorithm>

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000u;
constexpr std::uint64_t kLongestInterval = 600 * kSecond;

bool OlderThan(std::uint64_t then_ns, const HangInputs& inputs) noexcept {
  return inputs.now_ns > then_ns && inputs.now_ns - then_ns >= inputs.hang_ns;
}

}  // namespace

HangDecision DecideSnapshot(HangWatch& watch, const HangInputs& inputs) noexcept {
  if (inputs.hang_ns == 0) return {};
  if (inputs.pending_row != 0) watch.pending_seen_ns = inputs.now_ns;
  const bool hangs = inputs.pending_row != 0 && OlderThan(inputs.entered_ns, inputs);
  const bool idle = !hangs && inputs.last_call_ns != 0 &&
                    OlderThan(std::max(inputs.last_call_ns, watch.pending_seen_ns), inputs);
  if (!hangs && !idle) {
    watch = HangWatch{.pending_seen_ns = watch.pending_seen_ns};
    return {};
  }
  const std::uint64_t row = hangs ? inputs.pending_row : 0;
  const std::uint64_t last_call = hangs ? 0 : inputs.last_call_ns;
  const bool begins =
      watch.interval_ns == 0 || watch.pending_row != row || watch.last_call_ns != last_call;
  if (begins) {
    watch.pending_row = row;
    watch.last_call_ns = last_call;
    watch.interval_ns = std::max(kSecond, inputs.hang_ns / 6);
  } else if (inputs.now_ns < watch.next_ns) {
    return {};
  } else {
    watch.interval_ns = std::min(2 * watch.interval_ns, kLongestInterval);
  }
  watch.next_ns = inputs.now_ns + watch.interval_ns;
  return {hangs ? "hang" : "idle", hangs && begins};
}

}  // namespace rollcall::interpose
