#include "interpose/core/intern_table.h"

#include <string.h>

#include "proto/fingerprint.h"

namespace rollcall::interpose {

ContentDigest StartDigest(std::uint32_t kind) noexcept {
  return {RollcallFingerprintMix(1, kind), RollcallFingerprintMix(2, kind)};
}

void AddToDigest(ContentDigest& digest, const void* from, std::size_t bytes) noexcept {
  const auto* at = static_cast<const std::uint8_t*>(from);
  digest.low = RollcallFingerprintMix(digest.low, bytes);
  digest.high = RollcallFingerprintMix(digest.high, ~bytes);
  while (bytes) {
    const std::size_t part = bytes < 8 ? bytes : 8;
    std::uint64_t word = 0;
    memcpy(&word, at, part);
    digest.low = RollcallFingerprintMix(digest.low, word);
    digest.high = RollcallFingerprintMix(digest.high ^ (word << 32 | word >> 32), word);
    at += part;
    bytes -= part;
  }
}

std::uint32_t FindInterned(const InternTable& table, const ContentDigest& digest) noexcept {
  for (std::uint64_t i = digest.low;; ++i) {
    const InternTable::Entry& entry = table.entries[i % kInternEntries];
    if (entry.id == 0) return 0;
    if (entry.digest.low == digest.low && entry.digest.high == digest.high) return entry.id;
  }
}

bool Intern(InternTable& table, const ContentDigest& digest, std::uint32_t id) noexcept {
  if (table.count >= kInternEntries / 2) return false;
  std::uint64_t i = digest.low;
  while (table.entries[i % kInternEntries].id != 0)
    ++i;
  table.entries[i % kInternEntries] = {digest, id};
  ++table.count;
  return true;
}

}  // namespace rollcall::interpose
