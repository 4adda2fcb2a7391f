#include "interpose/gloo/calls.h"
#include "interpose/gloo/gloo_arguments.h"
#include "interpose/gloo/groups.h"
#include "interpose/gloo/thread_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kOwnRow = 1;

// A call without a c10d call around it: a program that uses Gloo by itself, or a c10d whose
// functions are not bound to ours.
void EnterOwnCall(RollcallCall& call) noexcept {
  if (!EnsureRecording()) return;
  ReportHooks("gloo");
  GlooState* const state = State();
  auto* const group =
      state == nullptr ? nullptr : static_cast<Group*>(state->contexts.Find(ContextOf(call)));
  CallArguments arguments;
  ReadGlooCall(call, group == nullptr ? 0 : group->size, &arguments);
  arguments.communicator = CommunicatorOf(group);
  arguments.flags = ROLLCALL_FLAG_LIBRARY_LEVEL | (group == nullptr ? 0 : group->flags);
  AddCallSite(&arguments);
  const Row row = EnterCall(arguments, kNoPosition, 0);
  StartCall(row);
  KeepRow(call, row);
  call.mark = kOwnRow;
}

}  // namespace

void EnterGlooCollective(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.collectives++ != 0) return;
  if (thread.executing != 0) {
    if (thread.work_flight != nullptr) thread.work_flight->Start();
  } else if (thread.inside != 0) {
    if (thread.flight != nullptr) thread.flight->Start();
  } else if (thread.constructing == nullptr) {
    EnterOwnCall(call);
  }
}

void LeaveGlooCollective(RollcallCall& call) noexcept {
  --thread_state.collectives;
  if (call.mark != kOwnRow) return;
  if (call.returned != 0)
    CompleteCall(KeptRow(call));
  else
    FailCall(KeptRow(call), 0, nullptr, 0);
}

}  // namespace rollcall::interpose
