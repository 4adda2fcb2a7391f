// From a wrapper to what is done around its call.
#include "interpose/gloo/hooks.h"

#include <errno.h>

#include "interpose/gloo/calls.h"
#include "interpose/gloo/thread_state.h"

namespace rollcall::interpose {

thread_local constinit ThreadState thread_state = {};

void KeepRow(RollcallCall& call, const Row& row) noexcept {
  call.kept[0] = row.sequence;
  call.kept[1] = std::uint64_t{row.block} << 32 | row.row;
}

Row KeptRow(const RollcallCall& call) noexcept {
  Row row;
  row.sequence = call.kept[0];
  row.block = static_cast<std::uint32_t>(call.kept[1] >> 32);
  row.row = static_cast<std::uint32_t>(call.kept[1]);
  return row;
}

namespace {

using Step = void(RollcallCall&) noexcept;
struct Handler {
  Step* enter;
  Step* leave;
};

// In the order of RollcallHandler.
constexpr Handler kHandlers[] = {
    {EnterC10dCall, LeaveC10dCall},                  // C10dCall
    {nullptr, LeaveNextTag},                         // NextTag
    {EnterEnqueue, LeaveEnqueue},                    // Enqueue
    {EnterExecute, LeaveExecute},                    // Execute
    {EnterFinish, nullptr},                          // Finish
    {EnterFinishError, nullptr},                     // FinishError
    {EnterWorkWait, LeaveWorkWait},                  // WorkWait
    {EnterFinishAndThrow, nullptr},                  // FinishAndThrow
    {EnterGroupConstructor, LeaveGroupConstructor},  // GroupConstructor
    {EnterGroupDestructor, nullptr},                 // GroupDestructor
    {EnterReconfigure, LeaveReconfigure},            // Reconfigure
    {EnterSetGroupName, nullptr},                    // SetGroupName
    {EnterPrefixStore, nullptr},                     // PrefixStore
    {EnterTcpStore, LeaveTcpStore},                  // TcpStore
    {EnterPrefixStore, nullptr},                     // GlooPrefixStore
    {nullptr, LeaveContextConstructor},              // ContextConstructor
    {EnterContextDestructor, nullptr},               // ContextDestructor
    {EnterConnect, LeaveConnect},                    // Connect
    {EnterGlooCollective, LeaveGlooCollective},      // GlooCollective
    {nullptr, LeaveCreateBuffer},                    // CreateBuffer
    {EnterBufferCall, LeaveBufferCall},              // BufferSend
    {EnterBufferCall, LeaveBufferCall},              // BufferRecv
    {EnterBufferCall, LeaveBufferCall},              // BufferRecvAny
    {nullptr, LeaveBufferWait},                      // WaitSend
    {nullptr, LeaveBufferWait},                      // WaitRecv
    {EnterBufferDestructor, nullptr},                // BufferDestructor
    {EnterBackward, LeaveBackward},                  // Backward
};
static_assert(sizeof kHandlers / sizeof kHandlers[0] == kRollcallBackward + 1);

}  // namespace
}  // namespace rollcall::interpose

void RollcallEnter(RollcallCall* call) {
  const int saved_errno = errno;
  if (auto* const enter = rollcall::interpose::kHandlers[call->hook->handler].enter) enter(*call);
  errno = saved_errno;
}

void RollcallLeave(RollcallCall* call) {
  const int saved_errno = errno;
  if (auto* const leave = rollcall::interpose::kHandlers[call->hook->handler].leave) leave(*call);
  errno = saved_errno;
}
