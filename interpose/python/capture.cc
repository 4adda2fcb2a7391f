#include "interpose/python/capture.h"

#include <cstring>

#include "interpose/core/recorder.h"
#include "interpose/core/settings.h"
#include "interpose/core/slow_section.h"
#include "interpose/native/wiped_memory.h"
#include "interpose/python/python_state.h"

namespace rollcall::interpose {
namespace {

// The stacks this thread has been seen in. When three quarters are taken it starts anew: the
// process's table still knows the ids.
struct StackCache {
  static constexpr std::uint32_t kSlots = 4096;
  std::uint32_t used;
  std::uint32_t reserved[3];
  IdSlot slots[kSlots];
};

__attribute__((tls_model("initial-exec"))) thread_local StackCache* stack_cache = nullptr;

__attribute__((noinline)) std::uint32_t CaptureNewStack(PythonState* state, PythonFrames* frames,
                                                        std::uint64_t hash) noexcept {
  const ErrnoGuard errno_guard;
  std::uint32_t id = 0;
  {
    GuestMemory memory(true);
    id = DefinePythonFrames(state, memory, frames, hash);
  }
  StackCache* cache = stack_cache;
  if (cache == nullptr) {
    cache = static_cast<StackCache*>(
        MapThreadMemory(sizeof(StackCache), reinterpret_cast<void**>(&stack_cache)));
  }
  if (cache != nullptr) {
    if (4 * cache->used >= 3 * StackCache::kSlots) std::memset(cache, 0, sizeof *cache);
    std::uint32_t index = static_cast<std::uint32_t>(hash >> 20) % StackCache::kSlots;
    while (cache->slots[index].key != 0)
      index = (index + 1) % StackCache::kSlots;
    cache->slots[index] = IdSlot{hash, id};
    ++cache->used;
  }
  return id;
}

__attribute__((noinline)) bool PrepareCapture(PythonState* state) noexcept {
  const ErrnoGuard errno_guard;
  return EnsurePython(state);
}

// Null: there are none, or it is not the time to look.
[[gnu::always_inline]] inline PythonState* WalkOwnFrames(PythonFrames* frames) noexcept {
  if (!IsRecording() || !PythonStacksAreOn()) return nullptr;
  PythonState* const state = ThePythonState();
  if (state == nullptr) return nullptr;
  const bool is_on = state->phase.load(std::memory_order_acquire) == PythonPhase::kOn;
  if (!is_on && !PrepareCapture(state)) return nullptr;
  const Interpreter& python = state->python;
  const auto thread = reinterpret_cast<std::uintptr_t>(python.this_thread_state());
  // A thread state may be about to be freed while Python ends.
  if (thread == 0 || (python.is_finalizing != nullptr && python.is_finalizing() != 0))
    return nullptr;
  if (!is_on && !ProvePython(state, thread)) return nullptr;
  DirectMemory memory;
  WalkPythonFrames(python, memory, thread, frames);
  return frames->count != 0 ? state : nullptr;
}

}  // namespace

std::uintptr_t InnermostPythonCode() noexcept {
  const ErrnoGuard errno_guard;
  PythonFrames frames;
  return WalkOwnFrames(&frames) != nullptr ? frames.frame[0].code : 0;
}

std::uint32_t CapturePythonStack() noexcept {
  PythonFrames frames;
  PythonState* const state = WalkOwnFrames(&frames);
  if (state == nullptr) return 0;
  const std::uint64_t hash = HashPythonFrames(frames);
  if (const StackCache* const cache = stack_cache; cache != nullptr) {
    std::uint32_t index = static_cast<std::uint32_t>(hash >> 20) % StackCache::kSlots;
    for (; cache->slots[index].key != 0; index = (index + 1) % StackCache::kSlots) {
      if (cache->slots[index].key == hash) return cache->slots[index].id;
    }
  }
  return CaptureNewStack(state, &frames, hash);
}

}  // namespace rollcall::interpose
