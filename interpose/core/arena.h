// Memory for definitions: anonymous pages of our own (the guest's malloc is the guest's), never
// freed. With the recorder's mutex held.
#pragma once

#include <string.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

struct Arena {
  std::uint8_t* next;
  std::size_t left;
};

// Zeroed, aligned to 16; null when there is none.
inline void* Allocate(Arena& arena, std::size_t bytes) noexcept {
  constexpr std::size_t kChunk = 256 << 10;
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > kChunk) return nullptr;
  if (arena.left < bytes) {
    void* const chunk =
        mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) return nullptr;
    arena = {static_cast<std::uint8_t*>(chunk), kChunk};
  }
  void* const result = arena.next;
  arena.next += bytes;
  arena.left -= bytes;
  return result;
}

// Takes back the piece that was given out last.
inline void TakeBack(Arena& arena, void* piece, std::size_t bytes) noexcept {
  bytes = (bytes + 15) / 16 * 16;
  memset(piece, 0, bytes);
  arena.next -= bytes;
  arena.left += bytes;
}

}  // namespace rollcall::interpose
