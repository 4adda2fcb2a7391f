// Where flights come from: a free list over chunks that are never given back. Its head carries a
// count, so that a flight that was taken and given in between is noticed.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/gloo/flight.h"

namespace rollcall::interpose {

class FlightPool {
 public:
  Flight* Take() noexcept;
  void Give(Flight* flight) noexcept;

 private:
  static constexpr std::uint32_t kChunkBits = 7;
  static constexpr std::uint32_t kChunks = 4096;

  struct Entry {
    Flight flight;
    std::atomic<std::uint32_t> next;  // index plus 1
  };

  Entry* At(std::uint32_t index) noexcept;

  std::atomic<std::uint64_t> head_;  // count << 32 | index plus 1
  std::atomic<std::uint32_t> used_;
  std::atomic<Entry*> chunks_[kChunks];
};

}  // namespace rollcall::interpose
