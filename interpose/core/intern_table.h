// Contents that were written already: code objects, stacks, settings, module lines. Two threads
// that meet the same stack at once must not write it twice. With the recorder's mutex held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

constexpr std::uint32_t kInternEntries = 1 << 18;  // power of two

// 128 bits of what a definition says; two definitions with one digest do not happen.
struct ContentDigest {
  std::uint64_t low;
  std::uint64_t high;
};

ContentDigest StartDigest(std::uint32_t kind) noexcept;
// Adds bytes and their number.
void AddToDigest(ContentDigest& digest, const void* from, std::size_t bytes) noexcept;

struct InternTable {
  struct Entry {
    ContentDigest digest;
    std::uint32_t id;  // 0 = empty
  };
  Entry entries[kInternEntries];
  std::uint32_t count;
};

// The id that was put for these contents; 0 = none.
std::uint32_t FindInterned(const InternTable& table, const ContentDigest& digest) noexcept;
// Returns false when the table is full.
bool Intern(InternTable& table, const ContentDigest& digest, std::uint32_t id) noexcept;

}  // namespace rollcall::interpose
