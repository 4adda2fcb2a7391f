// Point-to-point: a send or receive begins in UnboundBuffer::send or recv and ends in a wait on
// that buffer. Under c10d its row was made by ProcessGroupGloo::send; without c10d it is made here.
// A buffer has one key for sends and one for receives, each with a list of the calls that were not
// waited for, oldest first.
#include <algorithm>
#include <initializer_list>

#include "interpose/gloo/calls.h"
#include "interpose/gloo/gloo_arguments.h"
#include "interpose/gloo/groups.h"
#include "interpose/gloo/thread_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

std::uintptr_t KeyOf(const RollcallCall& call) noexcept {
  switch (call.hook->handler) {
    case kRollcallBufferRecv:
    case kRollcallBufferRecvAny:
    case kRollcallWaitRecv:
      return call.words[0] | 1;
    default:
      return call.words[0];
  }
}

// One thread at a time uses a buffer in one direction, as Gloo asks for.
void Append(std::uintptr_t key, Flight* flight) noexcept {
  GlooState* const state = State();
  if (state == nullptr) return;
  auto* last = static_cast<Flight*>(state->buffers.Find(key));
  if (last == nullptr) {
    state->buffers.Put(key, flight);
    return;
  }
  while (last->next != nullptr)
    last = last->next;
  last->next = flight;
}

// The oldest; the one with this peer where the wait told one.
Flight* Remove(std::uintptr_t key, const int* peer) noexcept {
  GlooState* const state = State();
  auto* const first = state == nullptr ? nullptr : static_cast<Flight*>(state->buffers.Find(key));
  if (first == nullptr) return nullptr;
  Flight* before = nullptr;
  Flight* found = first;
  while (peer != nullptr && found->peer != *peer && found->next != nullptr) {
    before = found;
    found = found->next;
  }
  if (peer != nullptr && found->peer != *peer) {
    before = nullptr;
    found = first;
  }
  if (before != nullptr)
    before->next = found->next;
  else if (found->next != nullptr)
    state->buffers.Put(key, found->next);
  else
    state->buffers.Take(key);
  return found;
}

// (this, peer or peers, slot, offset, bytes)
Flight* ClaimOwn(const RollcallCall& call) noexcept {
  if (!EnsureRecording()) return nullptr;
  GlooState* const state = State();
  auto* const group =
      state == nullptr ? nullptr : static_cast<Group*>(state->buffer_contexts.Find(call.words[0]));
  CallArguments arguments;
  arguments.operation = call.hook->detail;
  arguments.library_name = call.hook->library_name;
  arguments.peer =
      call.hook->handler == kRollcallBufferRecvAny ? -1 : static_cast<std::int32_t>(call.words[1]);
  arguments.tag = static_cast<std::int64_t>(call.words[2]);
  const std::uint64_t size = BufferBytes(call.words[0]);
  arguments.count = std::min<std::uint64_t>(call.words[4], size - call.words[3]);
  arguments.element_bytes = 1;
  arguments.communicator = CommunicatorOf(group);
  arguments.flags = ROLLCALL_FLAG_LIBRARY_LEVEL;
  AddCallSite(&arguments);
  Flight* const flight = NewFlight(EnterCall(arguments, kNoPosition, 0));
  if (flight != nullptr) flight->peer = arguments.peer;
  return flight;
}

bool IsPointToPoint(const RollcallCall& call) noexcept {
  return call.hook->detail == ROLLCALL_OPERATION_SEND ||
         call.hook->detail == ROLLCALL_OPERATION_RECV;
}

}  // namespace

void EnterBufferCall(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.collectives != 0 || thread.executing != 0 || thread.constructing != nullptr) return;
  Flight* flight = nullptr;
  if (thread.inside != 0) {
    if (thread.flight == nullptr) return;
    if (IsPointToPoint(*thread.outer)) {
      flight = thread.flight;
      flight->Hold();
      flight->peer = static_cast<std::int32_t>(call.words[1]);
    }
    thread.flight->Start();
  } else {
    flight = ClaimOwn(call);
    if (flight != nullptr) flight->Start();
  }
  if (flight == nullptr) return;
  Append(KeyOf(call), flight);
  call.mark = 1;
}

void LeaveBufferCall(RollcallCall& call) noexcept {
  if (call.mark == 0 || call.returned != 0) return;
  Flight* const flight = Remove(KeyOf(call), nullptr);
  if (flight == nullptr) return;
  flight->Fail(nullptr, 0);
  flight->Drop();
}

// (this, int* peer, timeout); false = aborted.
void LeaveBufferWait(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.collectives != 0 || thread.executing != 0) return;
  const int* const peer =
      call.returned != 0 ? reinterpret_cast<const int*>(call.words[1]) : nullptr;
  Flight* const flight = Remove(KeyOf(call), peer);
  if (flight == nullptr) return;
  if (call.returned == 0) {
    if (thread.waiting != 0 && thread.failing == nullptr) {
      thread.failing = flight;
      return;
    }
    flight->Fail(nullptr, 0);
  } else if ((call.result & 1) == 0) {
    flight->aborted.store(true);
  }
  flight->Drop();
}

// What was not waited for has an end that nobody sees. One destructor calls the other.
void EnterBufferDestructor(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.collectives != 0 || thread.executing != 0) return;
  GlooState* const state = State();
  if (state == nullptr) return;
  state->buffer_contexts.Take(call.words[0]);
  for (const std::uintptr_t key : {call.words[0], call.words[0] | 1}) {
    auto* flight = static_cast<Flight*>(state->buffers.Take(key));
    while (flight != nullptr) {
      Flight* const next = flight->next;
      flight->unwatched.store(true);
      flight->Drop();
      flight = next;
    }
  }
}

// gloo::Context::createUnboundBuffer(pointer, size) -> unique_ptr. Only needed for calls that c10d
// does not make.
void LeaveCreateBuffer(RollcallCall& call) noexcept {
  const ThreadState& thread = thread_state;
  if (thread.collectives != 0 || thread.executing != 0 || thread.inside != 0 ||
      thread.constructing != nullptr || call.returned == 0)
    return;
  GlooState* const state = State();
  void* const group = state == nullptr ? nullptr : state->contexts.Find(call.words[0]);
  if (group != nullptr)
    state->buffer_contexts.Put(*reinterpret_cast<const std::uintptr_t*>(call.result), group);
}

// SendWork::wait and RecvWork::wait catch what the buffer's wait throws and pass it to
// Work::finishAndThrow, which has the text.
void EnterWorkWait(RollcallCall&) noexcept {
  ++thread_state.waiting;
}

void LeaveWorkWait(RollcallCall&) noexcept {
  ThreadState& thread = thread_state;
  --thread.waiting;
  Flight* const flight = thread.failing;
  thread.failing = nullptr;
  if (flight == nullptr) return;
  flight->Fail(nullptr, 0);
  flight->Drop();
}

}  // namespace rollcall::interpose
