#include "interpose/core/life/snapshot_at_exit.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "interpose/core/clock.h"
#include "interpose/core/life.h"
#include "interpose/core/life/process_end.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kLongestWaitNs = 100'000'000;

enum Stage : std::uint32_t { kNotAsked, kAsked, kAnswered };
constinit std::atomic<std::uint32_t> stage{kNotAsked};

}  // namespace

void SnapshotAtExit() noexcept {
  const RollcallState* const state = OwnStatePage();
  if (state == nullptr || state->phase != kRollcallPhaseRunning) return;
  const int saved_errno = errno;
  std::uint32_t expected = kNotAsked;
  if (stage.compare_exchange_strong(expected, kAsked)) {
    WakeHelper();
    const std::uint64_t deadline = MonotonicNow() + kLongestWaitNs;
    while (stage.load(std::memory_order_acquire) != kAnswered) {
      const std::uint64_t now = MonotonicNow();
      if (now >= deadline) break;
      const timespec left = {0, static_cast<long>(deadline - now)};
      syscall(SYS_futex, &stage, FUTEX_WAIT_PRIVATE, kAsked, &left, nullptr, 0);
    }
  }
  errno = saved_errno;
}

bool SnapshotAtExitIsAsked() noexcept {
  return stage.load(std::memory_order_acquire) == kAsked;
}

void SnapshotAtExitIsWritten() noexcept {
  stage.store(kAnswered, std::memory_order_release);
  syscall(SYS_futex, &stage, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void ResetSnapshotAtExit() noexcept {
  stage.store(kNotAsked, std::memory_order_relaxed);
}

}  // namespace rollcall::interpose
