// Memoised unwinding: after one full unwind the places in the stack that held the return addresses
// are remembered, and those of the frame pointers on which a frame's size depends. When the same
// caller comes again with the same stack pointer and every place still holds its word, the stack is
// the same one (by induction from the innermost frame), and its id is known without unwinding.
// Unwind rules that are neither kind are conceivable; one in 1,024 hits is therefore unwound again
// and differences are counted.
#pragma once

#include <cstdint>

#include "interpose/native/unwind.h"

namespace rollcall::interpose {

// Of one thread, zero-initialised.
struct NativeMemo {
  static constexpr std::uint32_t kSets = 64;
  static constexpr std::uint32_t kWays = 8;
  static constexpr std::uint32_t kWords = 16384;
  static constexpr std::uint32_t kHitsPerCheck = 1024;

  struct Entry {
    std::uintptr_t stack_pointer;  // 0 = free
    std::uintptr_t return_address;
    std::uint32_t first_word;
    std::uint32_t words;   // to be checked
    std::uint32_t frames;  // the first of them are the pcs
    std::uint32_t generation;
    std::uint32_t id;
    bool truncated;
  };

  // Of the thread's own stack; places elsewhere (coroutines, signal stacks) may be unmapped the
  // next time.
  std::uintptr_t stack_low;
  std::uintptr_t stack_high;
  std::uint32_t words_used;
  std::uint32_t hits;
  std::uint32_t next_way[kSets];
  Entry entries[kSets * kWays];
  StackWord words[kWords];
};

// The entry for this very stack; null = not known.
NativeMemo::Entry* FindMemo(NativeMemo* memo, std::uintptr_t stack_pointer,
                            std::uintptr_t return_address, std::uint32_t generation) noexcept;
// Whether a full unwind found what the entry says.
bool AgreesWithMemo(const NativeMemo& memo, const NativeMemo::Entry& entry,
                    const NativeFrames& frames) noexcept;
// Remembers an unwound stack, if all of it can be checked again.
void RememberStack(NativeMemo* memo, std::uintptr_t stack_pointer, std::uintptr_t return_address,
                   std::uint32_t generation, const NativeFrames& frames, std::uint32_t id) noexcept;

}  // namespace rollcall::interpose
