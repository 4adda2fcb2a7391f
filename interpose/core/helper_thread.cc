#include "interpose/core/helper_thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "interpose/core/clock.h"
#include "interpose/core/life.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kShortestNapNs = 200'000;
constexpr std::uint64_t kLongestNapNs = 50'000'000;
constexpr std::uint64_t kHeartbeatNs = 200'000'000;
constexpr std::size_t kStackBytes = 512 << 10;

// The futex of the helper's sleep: grows with every wish to wake it.
constinit std::atomic<std::uint32_t> wakes{0};
static_assert(sizeof wakes == 4);

long Futex(int operation, std::uint32_t value, const timespec* timeout) noexcept {
  return syscall(SYS_futex, &wakes, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

void Nap(std::uint64_t nanoseconds, std::uint32_t wakes_seen) noexcept {
  const timespec timeout = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                            static_cast<long>(nanoseconds % 1'000'000'000)};
  Futex(FUTEX_WAIT, wakes_seen, &timeout);
}

// Held for the life of this thread: when the process dies in any way the kernel marks it in the
// file. Private memory would tell nobody.
void OwnMutex(Recorder& recorder) noexcept {
  RollcallState& state = State(recorder.file);
  static_assert(sizeof(pthread_mutex_t) <= kRollcallMutexBytes);
  if (!recorder.file.written) {
    auto* const mutex = reinterpret_cast<pthread_mutex_t*>(state.mutex);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_mutex_lock(mutex);
  }
  __atomic_store_n(&state.phase, std::uint32_t{kRollcallPhaseRunning}, __ATOMIC_RELEASE);
  PublishState(&state.phase, sizeof state.phase);
}

void Beat(Recorder& recorder, std::uint64_t now) noexcept {
  RollcallState& state = State(recorder.file);
  __atomic_store_n(&state.heartbeat_ns, now, __ATOMIC_RELAXED);
  __atomic_store_n(&state.heartbeat_boot_ns, ReadClock(CLOCK_BOOTTIME), __ATOMIC_RELAXED);
  PublishState(&state.heartbeat_ns,
               offsetof(RollcallState, snapshot_request) - offsetof(RollcallState, heartbeat_ns));
}

// Blocks ahead of the rows, hashes behind them.
void Prepare(Recorder& recorder) noexcept {
  CallBlocks& calls = recorder.calls;
  for (std::uint32_t i = 0; i < calls.ahead; ++i) {
    const SlowSection section(recorder.mutex);  // callers come in between
    const std::uint64_t now_at = calls.claims.next.load(std::memory_order_relaxed) / kRollcallRows;
    if (calls.claims.prepared >= now_at + calls.ahead || !PrepareCallBlock(recorder)) break;
  }
  const SlowSection section(recorder.mutex);
  const std::uint64_t cells_at =
      recorder.cells.claims.next.load(std::memory_order_relaxed) / kRollcallCellRows;
  if (recorder.cells.claims.prepared && recorder.cells.claims.prepared <= cells_at)
    PrepareCellBlock(recorder);
  if (recorder.file.blocks_there - recorder.file.blocks_taken < calls.ahead)
    GrowTraceFile(recorder.file);
  HashRows(recorder);
}

void* Run(void* argument) noexcept {
  Recorder& recorder = *static_cast<Recorder*>(argument);
  pthread_setname_np(pthread_self(), "rollcall");
  OwnMutex(recorder);
  std::uint64_t seen = 0, nap = kShortestNapNs, next_beat = 0;
  while (!recorder.stop_helper.load(std::memory_order_acquire)) {
    const std::uint32_t wakes_seen = wakes.load(std::memory_order_acquire);
    const std::uint64_t now_at =
        recorder.calls.claims.next.load(std::memory_order_relaxed) / kRollcallRows;
    // Blocks used up while it slept: it sleeps less when that was more than half of what is
    // prepared.
    if (now_at - seen > recorder.calls.ahead / 2)
      nap = kShortestNapNs;
    else
      nap = nap < kLongestNapNs / 2 ? nap * 2 : kLongestNapNs;
    seen = now_at;
    Prepare(recorder);
    const std::uint64_t now = MonotonicNow();
    if (now >= next_beat) {
      Beat(recorder, now);
      next_beat = now + kHeartbeatNs;
    }
    LifeRound(now);
    Nap(nap, wakes_seen);
  }
  return nullptr;
}

}  // namespace

void WakeHelper() noexcept {
  const ErrnoGuard errno_guard;
  wakes.fetch_add(1, std::memory_order_release);
  Futex(FUTEX_WAKE, 1, nullptr);
}

bool StartHelper(Recorder& recorder) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  recorder.has_helper = pthread_create(&recorder.helper, &attributes, Run, &recorder) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return recorder.has_helper;
}

void StopHelper(Recorder& recorder) noexcept {
  if (!recorder.has_helper) return;
  recorder.stop_helper.store(true, std::memory_order_release);
  WakeHelper();
  pthread_join(recorder.helper, nullptr);
  recorder.has_helper = false;
}

}  // namespace rollcall::interpose
