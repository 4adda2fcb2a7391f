// A recorded call that more than one thread takes part in: who made it, the workers that carry it
// out, the buffer that is waited for. Each holds it; the last one to let go ends its row. That is
// the row's last access, as the recorder asks for, and it happens before the caller can learn that
// the call is done.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

struct Flight {
  Row row;
  std::atomic<std::uint32_t> holders{0};
  std::atomic<bool> started{false};
  std::atomic<bool> failed{false};
  std::atomic<bool> unwatched{false};  // nobody will see how it ends
  std::atomic<bool> aborted{false};
  std::uint32_t text_bytes = 0;  // of the failure, in text
  std::uint32_t index = 0;       // in the pool
  Flight* next = nullptr;        // of the same buffer
  std::int32_t peer = 0;
  char text[256] = {};

  void Hold() noexcept { holders.fetch_add(1, std::memory_order_relaxed); }
  // The first Gloo call of it begins.
  void Start() noexcept;
  void Fail(const char* what, std::size_t bytes) noexcept;
  // Ends the row when nobody else holds it.
  void Drop() noexcept;
};

// With one holder. Null when there is no memory: then the call is recorded and reported as not
// watched.
Flight* NewFlight(const Row& row) noexcept;

}  // namespace rollcall::interpose
