// One full unwind of the calling thread by libgcc: exact, and slow (3 to 40 microseconds), as it
// reads unwind tables frame by frame.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// Python's own interpreter recurses in C up to 3.10: a bound on what deep recursion costs.
constexpr std::uint32_t kMaxNativeFrames = 64;

struct StackWord {
  std::uintptr_t slot;
  std::uint64_t value;
};

// Without initialisers: a local of slow paths only, but a large one.
struct NativeFrames {
  std::uint32_t count;
  bool truncated;
  bool has_slots;                      // every pc was found in the stack
  std::uint64_t pc[kMaxNativeFrames];  // return addresses, innermost first
  // What must be unchanged for the stack to be the same: where the pcs are (the first `count`),
  // then the frame pointers that the size of a frame depends on.
  std::uint32_t word_count;
  StackWord word[3 * kMaxNativeFrames];
};

// Frames whose return address lies above `stack_pointer`: those of the caller's callers.
void UnwindNativeFrames(std::uintptr_t stack_pointer, NativeFrames* frames) noexcept;

}  // namespace rollcall::interpose
