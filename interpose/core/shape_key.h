// A call's arguments as a key: the words that make two calls of one shape, compared and hashed.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

#include "interpose/core/recorder.h"
#include "proto/fingerprint.h"

namespace rollcall::interpose {

// The words of CallArguments in front of its arrays. library_name is one of them: a literal, whose
// address stands for it.
constexpr std::size_t kArgumentWords = offsetof(CallArguments, dimensions) / 8;
static_assert(kArgumentWords * 8 == offsetof(CallArguments, dimensions));
static_assert(offsetof(CallArguments, input_splits) ==
              offsetof(CallArguments, dimensions) + 8 * kMaxDimensions);

inline std::uint64_t MixWord(std::uint64_t state, std::uint64_t word) noexcept {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
         (word << 17 | word >> 47);
}

inline std::uint32_t KeptDimensions(const CallArguments& call) noexcept {
  return call.dimension_count < kMaxDimensions ? call.dimension_count : kMaxDimensions;
}
// Lists that are too long are kept as a digest alone.
inline std::uint32_t KeptSplits(std::uint32_t count) noexcept {
  return count <= kMaxSplits ? count : 0;
}

// Never 0.
inline std::uint64_t HashArguments(const CallArguments& call, std::uint32_t thread) noexcept {
  std::uint64_t words[kArgumentWords];
  memcpy(words, &call, sizeof words);
  // Four chains that do not wait for each other.
  std::uint64_t chains[4] = {thread, 1, 2, 3};
  for (std::size_t i = 0; i < kArgumentWords; ++i)
    chains[i % 4] = MixWord(chains[i % 4], words[i]);
  std::uint64_t hash = MixWord(MixWord(chains[0], chains[1]), MixWord(chains[2], chains[3]));
  for (std::uint32_t i = 0; i < KeptDimensions(call); ++i)
    hash = MixWord(hash, static_cast<std::uint64_t>(call.dimensions[i]));
  for (std::uint32_t i = 0; i < KeptSplits(call.input_split_count); ++i)
    hash = MixWord(hash, call.input_splits[i]);
  for (std::uint32_t i = 0; i < KeptSplits(call.output_split_count); ++i)
    hash = MixWord(hash, call.output_splits[i]);
  hash = RollcallFingerprintMix(hash, 0);
  return hash ? hash : 1;
}

inline bool AreEqualArguments(const CallArguments& a, const CallArguments& b) noexcept {
  return memcmp(&a, &b, kArgumentWords * 8) == 0 &&
         memcmp(a.dimensions, b.dimensions, 8 * KeptDimensions(a)) == 0 &&
         memcmp(a.input_splits, b.input_splits, 8 * KeptSplits(a.input_split_count)) == 0 &&
         memcmp(a.output_splits, b.output_splits, 8 * KeptSplits(a.output_split_count)) == 0;
}

}  // namespace rollcall::interpose
