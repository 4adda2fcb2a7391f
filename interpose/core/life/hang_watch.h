// When is a snapshot due? Once a call has been pending, or the process has made no call, for as
// long as a hang is said to take; then again at growing intervals while that lasts, so that a
// reader sees whether stacks change.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

struct HangInputs {
  std::uint64_t now_ns = 0;
  std::uint64_t hang_ns = 0;       // 0 = snapshots of hangs are off
  std::uint64_t pending_row = 0;   // number of the oldest pending row plus 1; 0 = none
  std::uint64_t entered_ns = 0;    // of that row
  std::uint64_t last_call_ns = 0;  // 0 = the process has no group
};

struct HangDecision {
  const char* reason = nullptr;  // "hang", "idle"; null = no snapshot now
  bool ask_others = false;  // a hang begins: the ranks that are missing should say where they are
};

// What lasts: one pending row, or the time since one call. Plain state, the helper's own.
struct HangWatch {
  std::uint64_t pending_row = 0;
  std::uint64_t last_call_ns = 0;
  std::uint64_t interval_ns = 0;
  std::uint64_t next_ns = 0;
  std::uint64_t pending_seen_ns = 0;  // a process that waits in a call is not idle
};

HangDecision DecideSnapshot(HangWatch& watch, const HangInputs& inputs) noexcept;

}  // namespace rollcall::interpose
