#include <string.h>

#include <algorithm>

#include "interpose/gloo/c10d_arguments.h"
#include "interpose/gloo/calls.h"
#include "interpose/gloo/groups.h"
#include "interpose/gloo/guest_string.h"
#include "interpose/gloo/tensor_facts.h"
#include "interpose/gloo/thread_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

// A group or context is made: its members wait for each other in the store, then connect.
Row EnterInit(Group* group, std::uint32_t flags, const char* library_name) noexcept {
  if (!EnsureRecording()) return {};
  CallArguments arguments;
  arguments.operation = ROLLCALL_OPERATION_INIT;
  arguments.count = group->size;
  arguments.communicator = CommunicatorOf(group);
  arguments.flags = group->flags | flags;
  arguments.timeout_ms = GroupTimeout(group->options);
  arguments.library_name = library_name;
  AddCallSite(&arguments);
  const Row row = EnterCall(arguments, kNoPosition, 0);
  StartCall(row);
  return row;
}

void EndRow(const RollcallCall& call, const Row& row) noexcept {
  if (call.returned != 0)
    CompleteCall(row);
  else
    FailCall(row, 0, nullptr, 0);
}

void GroupGone(Group* group) noexcept {
  if (group == nullptr) return;
  if (const std::uint32_t communicator = group->communicator.load()) CommunicatorGone(communicator);
}

// gloo::Context is the base of rendezvous::Context, behind its table of functions since 2024-09, in
// front of it before.
Group* FindContext(std::uintptr_t context) noexcept {
  GlooState* const state = State();
  if (state == nullptr) return nullptr;
  void* group = state->contexts.Find(context);
  if (group == nullptr) group = state->contexts.Find(context + sizeof(void*));
  return static_cast<Group*>(group);
}

}  // namespace

// (this, intrusive_ptr<Store>&, rank, size, intrusive_ptr<Options>)
void EnterGroupConstructor(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  call.kept[2] = reinterpret_cast<std::uint64_t>(thread.constructing);
  GlooState* const state = State();
  if (state == nullptr) return;
  const auto store = *reinterpret_cast<const std::uintptr_t*>(call.words[1]);
  const void* const options = *reinterpret_cast<const void* const*>(call.words[4]);
  if (options != nullptr) LearnHeader(options);
  Group* const group = NewGroup(store, static_cast<std::uint32_t>(call.words[2]),
                                static_cast<std::uint32_t>(call.words[3]), options);
  if (group == nullptr) return;
  state->groups.Put(call.words[0], group);
  thread.constructing = group;
  KeepRow(call, EnterInit(group, 0, "ProcessGroupGloo"));
}

void LeaveGroupConstructor(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  Group* const group = thread.constructing;
  thread.constructing = reinterpret_cast<Group*>(call.kept[2]);
  EndRow(call, KeptRow(call));
  if (call.returned != 0 && group != nullptr && (group->flags & ROLLCALL_FLAG_INTERNAL) == 0)
    thread.unnamed = group;
  if (call.returned == 0)
    if (GlooState* const state = State())
      GroupGone(static_cast<Group*>(state->groups.Take(call.words[0])));
}

// One destructor calls the other: the first one finds the group.
void EnterGroupDestructor(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  GlooState* const state = State();
  if (state == nullptr) return;
  auto* const group = static_cast<Group*>(state->groups.Take(call.words[0]));
  if (thread.unnamed == group) thread.unnamed = nullptr;
  GroupGone(group);
}

// The same object goes on as another group: new contexts with new rank and size, tags from 0.
void EnterReconfigure(RollcallCall& call) noexcept {
  GlooState* const state = State();
  ThreadState& thread = thread_state;
  call.kept[2] = reinterpret_cast<std::uint64_t>(thread.constructing);
  auto* const before =
      state == nullptr ? nullptr : static_cast<Group*>(state->groups.Find(call.words[0]));
  if (before == nullptr) return;
  auto* const group = static_cast<Group*>(state->Allocate(sizeof(Group)));
  if (group == nullptr) return;
  group->flags = before->flags;
  group->options = before->options;
  group->path = before->path;
  thread.constructing = group;  // a context's constructor tells rank and size
}

void LeaveReconfigure(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  Group* const group = thread.constructing;
  thread.constructing = reinterpret_cast<Group*>(call.kept[2]);
  GlooState* const state = State();
  if (state == nullptr || group == nullptr || group == thread.constructing || group->size == 0)
    return;
  GroupGone(static_cast<Group*>(state->groups.Find(call.words[0])));
  state->groups.Put(call.words[0], group);
  const Row row = EnterInit(group, 0, "reconfigure");
  EndRow(call, row);
}

// torch names a group on the thread that made it, right after.
void EnterSetGroupName(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  Group* const group = thread.unnamed;
  thread.unnamed = nullptr;
  if (group == nullptr) return;
  const std::string_view name = ReadString(call.words[1], call.hook->detail);
  if (name.empty() || name == NameInPath(group->path)) return;
  char text[128] = {};
  memcpy(text, name.data(), std::min(name.size(), sizeof text - 1));
  if (const std::uint32_t communicator = group->communicator.load())
    NameCommunicator(communicator, text);
}

// c10d: (this, prefix, intrusive_ptr<Store>); gloo: (this, prefix, Store& or shared_ptr<Store>)
void EnterPrefixStore(RollcallCall& call) noexcept {
  const bool is_address =
      call.hook->handler == kRollcallGlooPrefixStore && !(call.hook->detail & kRollcallSharedStore);
  const std::uintptr_t parent =
      is_address ? call.words[2] : *reinterpret_cast<const std::uintptr_t*>(call.words[2]);
  AddPrefix(call.words[0], parent, ReadString(call.words[1], call.hook->detail));
}

// (this, rank, size, base)
void LeaveContextConstructor(RollcallCall& call) noexcept {
  GlooState* const state = State();
  if (call.returned == 0 || state == nullptr) return;
  Group* group = thread_state.constructing;
  const auto rank = static_cast<std::uint32_t>(call.words[1]);
  const auto size = static_cast<std::uint32_t>(call.words[2]);
  if (group == nullptr) group = NewGroup(0, rank, size, nullptr);
  if (group == nullptr) return;
  if (group->size == 0) {
    group->rank = rank;
    group->size = size;
  }
  state->contexts.Put(call.words[0], group);
}

void EnterContextDestructor(RollcallCall& call) noexcept {
  GlooState* const state = State();
  if (state == nullptr) return;
  auto* const group = static_cast<Group*>(state->contexts.Take(call.words[0]));
  if (group != nullptr && group->options == nullptr) GroupGone(group);
}

// (this, store, device)
void EnterConnect(RollcallCall& call) noexcept {
  ThreadState& thread = thread_state;
  if (thread.constructing != nullptr || thread.inside != 0) return;
  Group* const group = FindContext(call.words[0]);
  if (group == nullptr || group->options != nullptr) return;
  const std::uintptr_t store = (call.hook->detail & kRollcallSharedStore)
                                   ? *reinterpret_cast<const std::uintptr_t*>(call.words[1])
                                   : call.words[1];
  group->path = StorePath(store);
  KeepRow(call, EnterInit(group, ROLLCALL_FLAG_LIBRARY_LEVEL, call.hook->library_name));
}

void LeaveConnect(RollcallCall& call) noexcept {
  EndRow(call, KeptRow(call));
}

}  // namespace rollcall::interpose
