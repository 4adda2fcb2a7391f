#include "interpose/gloo/c10d_arguments.h"
#include "interpose/gloo/calls.h"
#include "interpose/gloo/groups.h"
#include "interpose/gloo/thread_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

Group* FindGroup(std::uintptr_t group) noexcept {
  GlooState* const state = State();
  return state == nullptr ? nullptr : static_cast<Group*>(state->groups.Find(group));
}

// `call` may be null: a function that no hook knows took a tag.
Flight* Claim(const RollcallCall* call, std::uintptr_t address, std::uint64_t position) noexcept {
  if (!EnsureRecording()) return nullptr;
  ReportHooks("c10d");
  CallArguments arguments;
  std::uint32_t tags = 1;
  if (call != nullptr) tags = ReadC10dCall(*call, &arguments);
  if (Group* const group = FindGroup(address)) {
    arguments.communicator = CommunicatorOf(group);
    arguments.flags |= group->flags;
    if (arguments.timeout_ms == 0) arguments.timeout_ms = GroupTimeout(group->options);
  }
  AddCallSite(&arguments);
  return NewFlight(EnterCall(arguments, position, position == kNoPosition ? 0 : tags));
}

bool IsPointToPoint(const RollcallCall& call) noexcept {
  return call.hook->detail == ROLLCALL_OPERATION_SEND ||
         call.hook->detail == ROLLCALL_OPERATION_RECV;
}

}  // namespace

void EnterC10dCall(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.inside++ != 0) return;
  thread.outer = &call;
  thread.flight = IsPointToPoint(call) ? Claim(&call, call.words[0], kNoPosition) : nullptr;
}

void LeaveC10dCall(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (--thread.inside != 0) return;
  thread.outer = nullptr;
  Flight* const flight = thread.flight;
  thread.flight = nullptr;
  if (flight == nullptr) return;
  if (call.returned == 0) flight->Fail(nullptr, 0);
  flight->Drop();
}

void LeaveNextTag(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (call.returned == 0 || thread.flight != nullptr) return;
  const auto tag = static_cast<std::uint32_t>(call.result);
  if (thread.outer != nullptr) {
    thread.flight = Claim(thread.outer, call.words[0], tag);
    return;
  }
  if (thread.orphan != nullptr) thread.orphan->Drop();
  thread.orphan = Claim(nullptr, call.words[0], tag);
  if (thread.orphan != nullptr) thread.orphan->unwatched.store(true);
}

void EnterEnqueue(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  Flight* flight = thread.flight;
  if (flight != nullptr) {
    flight->Hold();
  } else {
    flight = thread.orphan;
    thread.orphan = nullptr;
    if (flight != nullptr) flight->unwatched.store(false);
  }
  GlooState* const state = State();
  if (flight == nullptr || state == nullptr) return;
  state->works.Put(*reinterpret_cast<const std::uintptr_t*>(call.words[1]), flight);
  call.kept[0] = *reinterpret_cast<const std::uintptr_t*>(call.words[1]);
}

// It throws when there is no memory for the queue; then no worker will take the work.
void LeaveEnqueue(RollcallCall& call) noexcept {
  if (call.returned != 0 || call.kept[0] == 0) return;
  GlooState* const state = State();
  auto* const flight =
      state == nullptr ? nullptr : static_cast<Flight*>(state->works.Take(call.kept[0]));
  if (flight == nullptr) return;
  flight->Fail(nullptr, 0);
  flight->Drop();
}

}  // namespace rollcall::interpose
