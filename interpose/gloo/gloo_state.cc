#include "interpose/gloo/gloo_state.h"

#include <sys/mman.h>

#include "interpose/native/wiped_memory.h"

namespace rollcall::interpose {
namespace {
// The mapping outlives a fork, its contents do not.
std::atomic<GlooState*> global_state{nullptr};
}  // namespace

GlooState* State() noexcept {
  GlooState* state = global_state.load(std::memory_order_acquire);
  if (state != nullptr) return state;
  auto* const mapped = static_cast<GlooState*>(MapWipedMemory(sizeof(GlooState)));
  if (mapped == nullptr) return nullptr;
  if (global_state.compare_exchange_strong(state, mapped, std::memory_order_acq_rel)) return mapped;
  munmap(mapped, sizeof(GlooState));
  return state;
}

void* GlooState::Allocate(std::size_t bytes) noexcept {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > sizeof(Chunk::data)) return nullptr;
  for (;;) {
    Chunk* chunk = chunk_.load(std::memory_order_acquire);
    if (chunk != nullptr) {
      const std::size_t at = chunk->used.fetch_add(bytes, std::memory_order_relaxed);
      if (at + bytes <= sizeof chunk->data) return chunk->data + at;
    }
    auto* const mapped = static_cast<Chunk*>(MapWipedMemory(sizeof(Chunk)));
    if (mapped == nullptr) return nullptr;
    if (!chunk_.compare_exchange_strong(chunk, mapped, std::memory_order_acq_rel))
      munmap(mapped, sizeof(Chunk));
  }
}

}  // namespace rollcall::interpose
