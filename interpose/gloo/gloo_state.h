// What the Gloo hooks know of this process: groups, contexts, stores, works and buffers. All of it
// lies in memory that the kernel empties in a forked child.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "interpose/gloo/flight_pool.h"
#include "interpose/gloo/pointer_map.h"

namespace rollcall::interpose {

// A c10d process group, or a Gloo context that no group made.
struct Group {
  std::atomic<std::uint32_t> communicator;
  std::uint32_t rank;
  std::uint32_t size;
  std::uint32_t flags;  // ROLLCALL_FLAG_INTERNAL
  const void*
      options;       // c10d::ProcessGroupGloo::Options, alive as long as the group; null: a context
  const char* path;  // of its store
};

struct GlooState {
  PointerMap groups;           // ProcessGroupGloo* -> Group
  PointerMap contexts;         // gloo::Context* -> Group
  PointerMap stores;           // c10d::Store*, gloo::rendezvous::Store* -> path (char*)
  PointerMap works;            // AsyncWork* -> Flight
  PointerMap buffers;          // UnboundBuffer*, plus 1 for receives -> Flight
  PointerMap buffer_contexts;  // UnboundBuffer* -> Group
  FlightPool flights;
  std::atomic<bool> hooks_reported;

  // Never given back: a few hundred bytes for each group, store and context. Zeroed; null when
  // there is no memory.
  void* Allocate(std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t kChunkBytes = 1 << 16;
  struct Chunk {
    std::atomic<std::size_t> used;
    alignas(16) char data[kChunkBytes - 16];
  };
  std::atomic<Chunk*> chunk_;
};

// Null when there is no memory.
GlooState* State() noexcept;

}  // namespace rollcall::interpose
