// Rows (or cells) are claimed by one fetch_add; this table leads from the number to the block it
// lies in. Block number s of its kind, from 1, holds the rows from (s - 1) * rows on.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/trace_file.h"

namespace rollcall::interpose {

constexpr std::uint32_t kClaimEntries = 2 * kMaxBlocks;  // power of two

struct ClaimTable {
  alignas(64) std::atomic<std::uint64_t> next;  // number of the next row
  // Entry of sequence s at s % kClaimEntries: s << 20 | block; block kNoBlock = there was no room.
  // Stored before anybody can need it, or found to be absent.
  alignas(64) std::atomic<std::uint64_t> entries[kClaimEntries];
  std::uint64_t prepared;  // greatest sequence there is; under the mutex
};

// The block of a sequence. Returns false when the table does not say: look under the mutex.
inline bool FindClaim(const ClaimTable& table, std::uint64_t sequence,
                      std::uint32_t* block) noexcept {
  const std::uint64_t entry =
      table.entries[sequence % kClaimEntries].load(std::memory_order_acquire);
  *block = entry & kNoBlock;
  return entry >> 20 == sequence;
}

inline void PutClaim(ClaimTable& table, std::uint64_t sequence, std::uint32_t block) noexcept {
  table.prepared = sequence;
  table.entries[sequence % kClaimEntries].store(sequence << 20 | block, std::memory_order_release);
}

}  // namespace rollcall::interpose
