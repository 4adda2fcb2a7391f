// What the hooks do, by subject: C++ behind RollcallEnter and RollcallLeave. All noexcept.
#pragma once

#include "interpose/core/recorder.h"
#include "interpose/gloo/gloo_state.h"
#include "interpose/gloo/hooks.h"

namespace rollcall::interpose {

// c10d_calls.cc: calls of a process group, on the thread of who makes them.
void EnterC10dCall(RollcallCall& call) noexcept;
void LeaveC10dCall(RollcallCall& call) noexcept;
void LeaveNextTag(RollcallCall& call) noexcept;
void EnterEnqueue(RollcallCall& call) noexcept;
void LeaveEnqueue(RollcallCall& call) noexcept;

// workers.cc: works of a process group, on its worker threads.
void EnterExecute(RollcallCall& call) noexcept;
void LeaveExecute(RollcallCall& call) noexcept;
void EnterFinish(RollcallCall& call) noexcept;
void EnterFinishError(RollcallCall& call) noexcept;

// group_calls.cc: life of groups and contexts, stores.
void EnterGroupConstructor(RollcallCall& call) noexcept;
void LeaveGroupConstructor(RollcallCall& call) noexcept;
void EnterGroupDestructor(RollcallCall& call) noexcept;
void EnterReconfigure(RollcallCall& call) noexcept;
void LeaveReconfigure(RollcallCall& call) noexcept;
void EnterSetGroupName(RollcallCall& call) noexcept;
void EnterPrefixStore(RollcallCall& call) noexcept;
void LeaveContextConstructor(RollcallCall& call) noexcept;
void EnterContextDestructor(RollcallCall& call) noexcept;
void EnterConnect(RollcallCall& call) noexcept;
void LeaveConnect(RollcallCall& call) noexcept;

// rendezvous.cc
void EnterTcpStore(RollcallCall& call) noexcept;
void LeaveTcpStore(RollcallCall& call) noexcept;

// gloo_calls.cc, buffers.cc: Gloo's own functions.
void EnterGlooCollective(RollcallCall& call) noexcept;
void LeaveGlooCollective(RollcallCall& call) noexcept;
void LeaveCreateBuffer(RollcallCall& call) noexcept;
void EnterBufferCall(RollcallCall& call) noexcept;
void LeaveBufferCall(RollcallCall& call) noexcept;
void LeaveBufferWait(RollcallCall& call) noexcept;
void EnterBufferDestructor(RollcallCall& call) noexcept;
void EnterWorkWait(RollcallCall& call) noexcept;
void LeaveWorkWait(RollcallCall& call) noexcept;
void EnterFinishAndThrow(RollcallCall& call) noexcept;

// backward.cc
void EnterBackward(RollcallCall& call) noexcept;
void LeaveBackward(RollcallCall& call) noexcept;
// For a call of a thread without Python frames: where the backward pass that runs was started.
void AddInitiator(CallArguments* arguments) noexcept;

// call_site.cc: stacks of the calling thread, flags, and what is missing of a group's call.
void AddCallSite(CallArguments* arguments) noexcept;
// Setting "hooks.gloo" = the level ("c10d" or "gloo") at which the first call was seen. Once.
void ReportHooks(const char* level) noexcept;

// Row and CallArguments in a wrapper's frame.
void KeepRow(RollcallCall& call, const Row& row) noexcept;
Row KeptRow(const RollcallCall& call) noexcept;

}  // namespace rollcall::interpose
