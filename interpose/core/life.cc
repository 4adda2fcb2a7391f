// Puts together what watches the life of the process.
#include "interpose/core/life.h"

#include <atomic>

#include "interpose/core/hang_watch.h"
#include "interpose/core/process_end.h"
#include "interpose/core/python_hook.h"
#include "interpose/core/settings.h"
#include "interpose/core/snapshot.h"
#include "interpose/core/snapshot_at_exit.h"
#include "interpose/core/snapshot_request.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kRoundNs = 250'000'000;

// The helper's own.
constinit HangWatch hang_watch{};
constinit std::uint64_t next_round_ns = 0;

void AnswerRequest(RollcallState* state) noexcept {
  const std::uint32_t request =
      std::atomic_ref<std::uint32_t>(state->snapshot_request).load(std::memory_order_acquire);
  std::atomic_ref<std::uint32_t> done(state->snapshot_done);
  if (request == done.load(std::memory_order_relaxed)) return;
  WriteSnapshot("request");
  done.store(request, std::memory_order_release);
  PublishState(&state->snapshot_done, sizeof(state->snapshot_done));
}

void WatchForHang(std::uint64_t now_ns) noexcept {
  HangInputs inputs{};
  inputs.now_ns = now_ns;
  inputs.hang_ns = HangNanoseconds();
  inputs.pending_row = OldestPendingRow(&inputs.entered_ns);
  inputs.last_call_ns = LastCallNs();
  const HangDecision decision = DecideSnapshot(hang_watch, inputs);
  if (decision.reason == nullptr) return;
  WriteSnapshot(decision.reason);
  if (decision.ask_others) RequestSnapshotsOfOthers(TraceFolder(), TraceFileName());
}

}  // namespace

void LifeStarted() noexcept {
  ResetSnapshotAtExit();
  WatchProcessEnd();
  MarkTracesBeforeExec(TraceFolder(), TraceFileName());
  InstallPythonHook();
}

void LifeRound(std::uint64_t now_ns) noexcept {
  AnswerSnapshotAtExit();
  RollcallState* const state = StatePage();
  if (state == nullptr || now_ns < next_round_ns) return;
  next_round_ns = now_ns + kRoundNs;
  AnswerRequest(state);
  WatchForHang(now_ns);
}

}  // namespace rollcall::interpose
