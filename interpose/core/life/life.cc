// Puts together what watches the life of the process.
#include "interpose/core/life.h"

#include <time.h>

#include <atomic>

#include "interpose/core/clock.h"
#include "interpose/core/life/hang_watch.h"
#include "interpose/core/life/process_end.h"
#include "interpose/core/life/python_hook.h"
#include "interpose/core/life/snapshot.h"
#include "interpose/core/life/snapshot_at_exit.h"
#include "interpose/core/life/snapshot_request.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/settings.h"
#include "interpose/gloo/backward.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kRoundNs = 250'000'000;
constexpr std::uint64_t kLongestStartNs = 100'000'000;

// The helper's own; begun anew with each trace.
struct Watch {
  HangWatch hang{};
  std::uint64_t next_round_ns = 0;
  std::int64_t snapshots = 0;
};
constinit Watch watch{};
constinit std::atomic<bool> trace_is_new{false};

void TakeSnapshot(const char* reason) noexcept {
  WriteSnapshot(reason, ++watch.snapshots);
}

// Raised by others in the file; fetched from there where memory and file are not the same.
std::uint32_t RaisedRequest(RollcallState* state) noexcept {
  std::atomic_ref<std::uint32_t> request(state->snapshot_request);
  const Recorder* const recorder = CurrentRecorder();
  if (recorder != nullptr && recorder->file.written) {
    const std::uint32_t raised = ReadSnapshotRequest(TraceFolder(), TraceFileName());
    if (raised > request.load(std::memory_order_relaxed)) request.store(raised);
  }
  return request.load(std::memory_order_acquire);
}

void AnswerRequest(RollcallState* state) noexcept {
  const std::uint32_t request = RaisedRequest(state);
  std::atomic_ref<std::uint32_t> done(state->snapshot_done);
  if (request == done.load(std::memory_order_relaxed)) return;
  TakeSnapshot("request");
  done.store(request, std::memory_order_release);
  PublishState(&state->snapshot_done, sizeof(state->snapshot_done));
}

// Until the helper owns the mutex, the page says nothing of a process that ends: its start takes a
// moment, once.
void WaitForHelper() noexcept {
  const std::uint64_t deadline = MonotonicNow() + kLongestStartNs;
  const RollcallState* const state = StatePage();
  while (state != nullptr && MonotonicNow() < deadline &&
         __atomic_load_n(&state->phase, __ATOMIC_ACQUIRE) == kRollcallPhaseStarting) {
    const timespec nap = {0, 20'000};
    nanosleep(&nap, nullptr);
  }
}

void WatchForHang(std::uint64_t now_ns) noexcept {
  HangInputs inputs{};
  inputs.now_ns = now_ns;
  inputs.hang_ns = HangNanoseconds();
  inputs.pending_row = OldestPendingRow(&inputs.entered_ns);
  inputs.last_call_ns = LastCallNs();
  const HangDecision decision = DecideSnapshot(watch.hang, inputs);
  if (decision.reason == nullptr) return;
  TakeSnapshot(decision.reason);
  if (decision.ask_others) RequestSnapshotsOfOthers(TraceFolder(), TraceFileName());
}

}  // namespace

void LifeStarted() noexcept {
  trace_is_new.store(true, std::memory_order_release);
  ResetSnapshotAtExit();
  WatchProcessEnd();
  if (CurrentRecorder()->has_helper) WaitForHelper();
  MarkTracesBeforeExec(TraceFolder(), TraceFileName());
  InstallPythonHook();
}

void LifeRound(std::uint64_t now_ns) noexcept {
  if (trace_is_new.exchange(false, std::memory_order_acquire)) watch = Watch{};
  if (SnapshotAtExitIsAsked()) {
    WriteBackwardTotals();
    TakeSnapshot("exit");
    SnapshotAtExitIsWritten();
  }
  RollcallState* const state = StatePage();
  if (state == nullptr || now_ns < watch.next_round_ns) return;
  watch.next_round_ns = now_ns + kRoundNs;
  AnswerRequest(state);
  WatchForHang(now_ns);
}

}  // namespace rollcall::interpose
