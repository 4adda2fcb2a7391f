// The state page's record of the end, and the on_exit handler, which is the only way to learn the
// status of a return from main.
#include "interpose/core/life/process_end.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "interpose/core/clock.h"
#include "interpose/core/life.h"
#include "interpose/core/life/snapshot_at_exit.h"
#include "interpose/core/settings.h"

namespace rollcall::interpose {
namespace {

constinit std::atomic<std::int32_t> recorded_pid{0};
constinit std::atomic<bool> exit_handler_registered{false};

template <typename Word>
void Store(Word& word, Word value) noexcept {
  std::atomic_ref<Word>(word).store(value, std::memory_order_release);
}

// The kind comes last: who sees it sees the rest.
void PublishEnd(RollcallState* state, RollcallEnd kind) noexcept {
  Store(state->end_ns, MonotonicNow());
  PublishState(&state->end_status,
               offsetof(RollcallState, exception_ns) - offsetof(RollcallState, end_status));
  Store<std::uint32_t>(state->end_kind, kind);
  PublishState(&state->end_kind, sizeof(state->end_kind));
}

void OnExit(int status, void*) {
  NoteExit(kRollcallEndExit, status);
  SnapshotAtExit();
}

}  // namespace

RollcallState* OwnStatePage() noexcept {
  RollcallState* const state = StatePage();
  if (state == nullptr) return nullptr;
  const auto pid = static_cast<std::int32_t>(syscall(SYS_getpid));
  return pid == recorded_pid.load(std::memory_order_relaxed) ? state : nullptr;
}

void NoteExit(RollcallEnd kind, int status) noexcept {
  RollcallState* const state = OwnStatePage();
  if (state == nullptr) return;
  Store(state->end_status, static_cast<std::uint32_t>(status) & 0xffu);
  PublishEnd(state, kind);
}

void NoteSignal(const siginfo_t& info) noexcept {
  RollcallState* const state = OwnStatePage();
  if (state == nullptr) return;
  const bool sent =
      info.si_code <= 0;  // by a process; else by the kernel, and si_pid means nothing
  Store(state->end_signal, static_cast<std::uint32_t>(info.si_signo));
  Store(state->end_signal_code, info.si_code);
  Store(state->end_signal_pid, sent ? static_cast<std::uint32_t>(info.si_pid) : 0u);
  PublishEnd(state, kRollcallEndSignal);
}

void WatchProcessEnd() noexcept {
  recorded_pid.store(static_cast<std::int32_t>(syscall(SYS_getpid)), std::memory_order_relaxed);
  FindNextExit();
  if (SignalsAreOn()) WatchFatalSignals();
  // A child that records inherits the registration of its parent.
  if (!exit_handler_registered.exchange(true)) on_exit(OnExit, nullptr);
}

}  // namespace rollcall::interpose
