#include "interpose/native/native_stacks.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>

#include "interpose/core/recorder.h"
#include "interpose/core/slow_section.h"
#include "interpose/native/modules.h"
#include "interpose/native/wiped_memory.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kMaxNativeStacks = 65536;
constexpr std::uint32_t kStackSlots = 2 * kMaxNativeStacks;

struct StackSlot {
  std::uint64_t key;  // 0 = free
  std::uint32_t id;
};

// Empty again in a forked child, the lock open.
struct NativeState {
  std::atomic<std::uint32_t> generation;
  std::atomic<std::uint32_t> disagreements;
  pthread_mutex_t mutex;  // held over definitions, never over a call of the guest's
  std::uint32_t stacks_used;
  ModuleTable modules;
  StackSlot stacks[kStackSlots];
};

std::atomic<NativeState*> the_state{nullptr};

NativeState* TheNativeState() noexcept {
  NativeState* state = the_state.load(std::memory_order_acquire);
  if (state != nullptr) return state;
  auto* const fresh = static_cast<NativeState*>(MapWipedMemory(sizeof(NativeState)));
  // Another thread may have been first: then this mapping, untouched, is left.
  if (fresh != nullptr &&
      the_state.compare_exchange_strong(state, fresh, std::memory_order_acq_rel)) {
    return fresh;
  }
  return state;
}

std::uint64_t KeyOfFrames(const NativeFrames& frames, std::uint32_t generation) noexcept {
  std::uint64_t hash = 2 * std::uint64_t{generation} + (frames.truncated ? 1 : 0);
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    hash = (hash ^ frames.pc[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash | 1;
}

StackSlot* FindSlot(NativeState* state, std::uint64_t key) noexcept {
  std::uint32_t index = static_cast<std::uint32_t>(key >> 20) % kStackSlots;
  while (state->stacks[index].key != 0 && state->stacks[index].key != key) {
    index = (index + 1) % kStackSlots;
  }
  return &state->stacks[index];
}

std::uint32_t DefineLocked(NativeState* state, const NativeFrames& frames) noexcept {
  std::uint32_t generation = state->generation.load(std::memory_order_relaxed);
  StackSlot* slot = FindSlot(state, KeyOfFrames(frames, generation));
  if (slot->key != 0) return slot->id;
  if (state->stacks_used == kMaxNativeStacks) return 0;
  if (RefreshModules(&state->modules)) {
    state->generation.store(++generation, std::memory_order_release);
    slot = FindSlot(state, KeyOfFrames(frames, generation));
  }
  const std::uint32_t id =
      DefineNativeStack(frames.pc, frames.count, frames.truncated, state->modules.epoch);
  *slot = StackSlot{KeyOfFrames(frames, generation), id};
  if (++state->stacks_used == kMaxNativeStacks) DefineSetting("native.stacks", "no room for more");
  return id;
}

}  // namespace

std::uint32_t NativeGeneration() noexcept {
  const NativeState* const state = TheNativeState();
  return state != nullptr ? state->generation.load(std::memory_order_acquire) : 0;
}

std::uint32_t DefineNativeFrames(const NativeFrames& frames, std::uint32_t* generation) noexcept {
  NativeState* const state = TheNativeState();
  *generation = 0;
  if (state == nullptr || frames.count == 0) return 0;
  const SlowSection section(state->mutex);
  const std::uint32_t id = DefineLocked(state, frames);
  *generation = state->generation.load(std::memory_order_relaxed);
  return id;
}

void CountMemoDisagreement() noexcept {
  NativeState* const state = TheNativeState();
  if (state == nullptr) return;
  const std::uint32_t count = state->disagreements.fetch_add(1, std::memory_order_relaxed) + 1;
  if ((count & (count - 1)) != 0) return;
  char value[16];
  std::snprintf(value, sizeof value, "%u", count);
  DefineSetting("native.memo_disagreements", value);
}

}  // namespace rollcall::interpose
