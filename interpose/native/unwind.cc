#include "interpose/native/unwind.h"

#include <unwind.h>

#include <cstring>

namespace rollcall::interpose {
namespace {

struct Unwind {
  std::uintptr_t stack_pointer;
  std::uintptr_t previous_frame_address;
  NativeFrames* frames;
};

// The stack itself, redzones of sanitizers included.
__attribute__((no_sanitize("address", "thread"), always_inline)) inline std::uint64_t StackWord(
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
  return slot > unwind.stack_pointer && StackWord(slot) == pc ? slot : 0;
#else
  constexpr std::uintptr_t kMaxFrameBytes = 4096;
  std::uintptr_t slot = unwind.previous_frame_address;
  if (slot < unwind.stack_pointer) slot = unwind.stack_pointer;
  slot = (slot + 7) & ~std::uintptr_t{7};
  for (std::uintptr_t i = 0; i < kMaxFrameBytes && slot + i + 8 <= frame_address; i += 8) {
    if (StackWord(slot + i) == pc) return slot + i;
  }
  return 0;
#endif
}

_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* data) {
  auto* const unwind = static_cast<Unwind*>(data);
  NativeFrames* const frames = unwind->frames;
  const std::uint64_t pc = _Unwind_GetIP(context);
  const std::uintptr_t frame_address = _Unwind_GetCFA(context);
  const bool is_own = frame_address <= unwind->stack_pointer;
  const std::uintptr_t slot = is_own ? 0 : FindSlot(*unwind, frame_address, pc);
  unwind->previous_frame_address = frame_address;
  if (is_own) return _URC_NO_REASON;
  if (pc == 0) return _URC_END_OF_STACK;
  if (frames->count == kMaxNativeFrames) {
    frames->truncated = true;
    return _URC_END_OF_STACK;
  }
  if (slot == 0) frames->has_slots = false;
  frames->pc[frames->count] = pc;
  frames->slot[frames->count++] = slot;
  return _URC_NO_REASON;
}

}  // namespace

void UnwindNativeFrames(std::uintptr_t stack_pointer, NativeFrames* frames) noexcept {
  frames->count = 0;
  frames->truncated = false;
  frames->has_slots = true;
  Unwind unwind{stack_pointer, 0, frames};
  _Unwind_Backtrace(OnFrame, &unwind);
}

}  // namespace rollcall::interpose
