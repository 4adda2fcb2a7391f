// A worker carries out a work: AsyncWork::execute calls run(), then finishWorkGloo() or
// finishWorkGlooError(exception), which let go who waits. So the call ends at the entry of the
// latter; also that of a work which torch refuses without any Gloo call.
#include "interpose/gloo/calls.h"
#include "interpose/gloo/exception_text.h"
#include "interpose/gloo/thread_state.h"

namespace rollcall::interpose {
namespace {

// What runs on this thread behind it (callbacks of the future) may make calls of its own.
Flight* TakeWork(std::uintptr_t work) noexcept {
  ThreadState& thread = thread_state;
  if (thread.executing == 0 || thread.work != work) return nullptr;
  thread.executing = 0;
  Flight* const flight = thread.work_flight;
  thread.work_flight = nullptr;
  return flight;
}

}  // namespace

void EnterExecute(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  GlooState* const state = State();
  const std::uintptr_t work = *reinterpret_cast<const std::uintptr_t*>(call.words[0]);
  thread.executing = 1;
  thread.work = work;
  thread.work_flight = state == nullptr ? nullptr : static_cast<Flight*>(state->works.Take(work));
}

void LeaveExecute(RollcallCall& call) noexcept {
  Flight* const flight = TakeWork(thread_state.work);
  if (flight == nullptr) return;
  if (call.returned == 0) flight->Fail(nullptr, 0);
  flight->Drop();
}

void EnterFinish(RollcallCall& call) noexcept {
  if (Flight* const flight = TakeWork(call.words[0])) flight->Drop();
}

void EnterFinishError(RollcallCall& call) noexcept {
  Flight* const flight = TakeWork(call.words[0]);
  if (flight == nullptr) return;
  const ExceptionText text(call.words[1], call.caller);
  flight->Fail(text.data(), text.size());
  flight->Drop();
}

// Of a send or receive, on the thread that waits for it: see buffers.cc.
void EnterFinishAndThrow(RollcallCall& call) noexcept {
  Flight* const flight = thread_state.failing;
  if (flight == nullptr) return;
  thread_state.failing = nullptr;
  const ExceptionText text(call.words[1], call.caller);
  flight->Fail(text.data(), text.size());
  flight->Drop();
}

}  // namespace rollcall::interpose
