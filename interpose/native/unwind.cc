#include "interpose/native/unwind.h"

#include <unwind.h>

#include <cstring>

namespace rollcall::interpose {
namespace {

// Frames that are looked through for a saved frame pointer.
constexpr std::uint32_t kCallees = 4;
// Callee-saved registers are pushed right below the return address; rbp may be any of them.
constexpr std::uint32_t kPushedRegisters = 6;

struct Unwind {
  std::uintptr_t stack_pointer;
  std::uintptr_t frame_address[kCallees];  // of the frames inside, the nearest first; 0 = none
  NativeFrames* frames;
  std::uint32_t extra_count;
  StackWord extra[2 * kMaxNativeFrames];
};

// The stack itself, redzones of sanitizers included.
__attribute__((no_sanitize("address", "thread"), always_inline)) inline std::uint64_t ReadWord(
    std::uintptr_t address) noexcept {
  return *reinterpret_cast<const volatile std::uint64_t*>(address);
}

// The slot of a return address. libgcc gives for frame i its pc and the frame address (CFA) of
// frame i - 1, which it was loaded from. x86-64: always right below it. aarch64: anywhere in that
// frame.
__attribute__((no_sanitize("address", "thread"))) std::uintptr_t FindSlot(
    const Unwind& unwind, std::uintptr_t frame_address, std::uint64_t pc) noexcept {
#if defined(__x86_64__)
  const std::uintptr_t slot = frame_address - 8;
  return slot > unwind.stack_pointer && ReadWord(slot) == pc ? slot : 0;
#else
  constexpr std::uintptr_t kMaxFrameBytes = 4096;
  std::uintptr_t slot = unwind.frame_address[0];
  if (slot < unwind.stack_pointer) slot = unwind.stack_pointer;
  slot = (slot + 7) & ~std::uintptr_t{7};
  for (std::uintptr_t i = 0; i < kMaxFrameBytes && slot + i + 8 <= frame_address; i += 8) {
    if (ReadWord(slot + i) == pc) return slot + i;
  }
  return 0;
#endif
}

void AddExtra(Unwind* unwind, std::uintptr_t slot, std::uint64_t value) noexcept {
  unwind->extra[unwind->extra_count++] = StackWord{slot, value};
}

// Most frames have one size for one pc, so equal pcs put the next one at the same place. Where a
// frame's size varies (alloca), its address follows from rbp, which a frame inside has saved; a
// realigned frame keeps its address below what rbp points to. Without these words, return addresses
// left over from an earlier call could pass for the chain.
__attribute__((no_sanitize("address", "thread"))) void FindFramePointer(
    Unwind* unwind, std::uintptr_t frame_address) noexcept {
  if (unwind->extra_count + 2 > 2 * kMaxNativeFrames) return;
  for (const std::uintptr_t callee : unwind->frame_address) {
    if (callee == 0) return;
    for (std::uintptr_t i = 2; i < 2 + kPushedRegisters; ++i) {
      const std::uintptr_t slot = callee - 8 * i;
      if (slot < unwind->stack_pointer) break;
      const std::uint64_t word = ReadWord(slot);
      if (word == frame_address - 16) return AddExtra(unwind, slot, word);
      const bool is_inside = word > slot + 8 && word < frame_address && word % 8 == 0;
      if (is_inside && ReadWord(word - 8) == frame_address) {
        AddExtra(unwind, slot, word);
        return AddExtra(unwind, word - 8, frame_address);
      }
    }
  }
}

_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* data) {
  auto* const unwind = static_cast<Unwind*>(data);
  NativeFrames* const frames = unwind->frames;
  const std::uint64_t pc = _Unwind_GetIP(context);
  const std::uintptr_t frame_address = _Unwind_GetCFA(context);
  if (frame_address <= unwind->stack_pointer) return _URC_NO_REASON;  // our own
  if (pc == 0) return _URC_END_OF_STACK;
  if (frames->count == kMaxNativeFrames) {
    frames->truncated = true;
    return _URC_END_OF_STACK;
  }
  const std::uintptr_t slot = FindSlot(*unwind, frame_address, pc);
  if (slot == 0) frames->has_slots = false;
  FindFramePointer(unwind, frame_address);
  for (std::uint32_t i = kCallees - 1; i > 0; --i) {
    unwind->frame_address[i] = unwind->frame_address[i - 1];
  }
  unwind->frame_address[0] = frame_address;
  frames->pc[frames->count] = pc;
  frames->word[frames->count++] = StackWord{slot, pc};
  return _URC_NO_REASON;
}

}  // namespace

void UnwindNativeFrames(std::uintptr_t stack_pointer, NativeFrames* frames) noexcept {
  frames->count = 0;
  frames->truncated = false;
  frames->has_slots = true;
  Unwind unwind;
  unwind.stack_pointer = stack_pointer;
  for (std::uintptr_t& address : unwind.frame_address)
    address = 0;
  unwind.frames = frames;
  unwind.extra_count = 0;
  _Unwind_Backtrace(OnFrame, &unwind);
  frames->word_count = frames->count;
  for (std::uint32_t i = 0; i < unwind.extra_count; ++i) {
    frames->word[frames->word_count++] = unwind.extra[i];
  }
}

}  // namespace rollcall::interpose
