// The recorder's clocks, in nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace rollcall::interpose {

inline std::uint64_t ReadClock(clockid_t clock) noexcept {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t MonotonicNow() noexcept {
  return ReadClock(CLOCK_MONOTONIC);
}

}  // namespace rollcall::interpose
