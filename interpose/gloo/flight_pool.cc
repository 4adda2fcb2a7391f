#include "interpose/gloo/flight_pool.h"

#include <sys/mman.h>

#include <new>

#include "interpose/native/wiped_memory.h"

namespace rollcall::interpose {
namespace {
constexpr std::uint64_t kCount = std::uint64_t{1} << 32;
}

FlightPool::Entry* FlightPool::At(std::uint32_t index) noexcept {
  const std::uint32_t number = index >> kChunkBits;
  if (number >= kChunks) return nullptr;
  Entry* chunk = chunks_[number].load(std::memory_order_acquire);
  if (chunk == nullptr) {
    const std::size_t bytes = sizeof(Entry) << kChunkBits;
    auto* const mapped = static_cast<Entry*>(MapWipedMemory(bytes));
    if (mapped == nullptr) return nullptr;
    if (chunks_[number].compare_exchange_strong(chunk, mapped, std::memory_order_acq_rel))
      chunk = mapped;
    else
      munmap(mapped, bytes);
  }
  return chunk + (index & ((1u << kChunkBits) - 1));
}

Flight* FlightPool::Take() noexcept {
  std::uint64_t head = head_.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(head) != 0) {
    Entry* const entry = At(static_cast<std::uint32_t>(head) - 1);
    if (entry == nullptr) break;
    const std::uint64_t next =
        ((head & ~(kCount - 1)) + kCount) | entry->next.load(std::memory_order_relaxed);
    if (head_.compare_exchange_weak(head, next, std::memory_order_acq_rel)) return &entry->flight;
  }
  const std::uint32_t index = used_.fetch_add(1, std::memory_order_relaxed);
  Entry* const entry = At(index);
  if (entry == nullptr) return nullptr;
  entry->flight.index = index;
  return &entry->flight;
}

void FlightPool::Give(Flight* flight) noexcept {
  Entry* const entry = At(flight->index);
  if (entry == nullptr || &entry->flight != flight) return;  // of a state before a fork
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  std::uint64_t next;
  do {
    entry->next.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
    next = ((head & ~(kCount - 1)) + kCount) | (flight->index + 1);
  } while (!head_.compare_exchange_weak(head, next, std::memory_order_acq_rel));
}

}  // namespace rollcall::interpose
