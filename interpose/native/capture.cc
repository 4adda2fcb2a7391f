#include "interpose/native/capture.h"

#include <pthread.h>

#include "interpose/core/recorder.h"
#include "interpose/core/settings.h"
#include "interpose/core/slow_section.h"
#include "interpose/native/memo.h"
#include "interpose/native/native_stacks.h"
#include "interpose/native/wiped_memory.h"

namespace rollcall::interpose {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local NativeMemo* native_memo = nullptr;

NativeMemo* MakeMemo() noexcept {
  return static_cast<NativeMemo*>(
      MapThreadMemory(sizeof(NativeMemo), reinterpret_cast<void**>(&native_memo)));
}

// Also in a forked child, which finds its memo empty.
void FindStackBounds(NativeMemo* memo) noexcept {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  memo->stack_low = 1;
  memo->stack_high = 1;  // none: nothing will be remembered
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    memo->stack_low = reinterpret_cast<std::uintptr_t>(low);
    memo->stack_high = memo->stack_low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

__attribute__((noinline)) std::uint32_t CaptureNewStack(std::uintptr_t stack_pointer,
                                                        std::uintptr_t return_address) noexcept {
  const ErrnoGuard errno_guard;
  NativeMemo* const memo = native_memo != nullptr ? native_memo : MakeMemo();
  if (memo != nullptr && memo->stack_high == 0) FindStackBounds(memo);
  NativeFrames frames;
  UnwindNativeFrames(stack_pointer, &frames);
  std::uint32_t generation = 0;
  const std::uint32_t id = DefineNativeFrames(frames, &generation);
  if (memo != nullptr && stack_pointer >= memo->stack_low && stack_pointer < memo->stack_high) {
    RememberStack(memo, stack_pointer, return_address, generation, frames, id);
  }
  return id;
}

__attribute__((noinline)) std::uint32_t CheckKnownStack(NativeMemo* memo, NativeMemo::Entry* entry,
                                                        std::uintptr_t stack_pointer) noexcept {
  const ErrnoGuard errno_guard;
  NativeFrames frames;
  UnwindNativeFrames(stack_pointer, &frames);
  std::uint32_t id = entry->id;
  if (!AgreesWithMemo(*memo, *entry, frames)) {
    CountMemoDisagreement();
    entry->return_address = 0;  // never found again
    std::uint32_t generation = 0;
    id = DefineNativeFrames(frames, &generation);
  }
  return id;
}

}  // namespace

__attribute__((noinline)) std::uint32_t CaptureNativeStack() noexcept {
  if (!IsRecording() || !NativeStacksAreOn()) return 0;
  const auto stack_pointer = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto return_address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  NativeMemo* const memo = native_memo;
  if (memo == nullptr) return CaptureNewStack(stack_pointer, return_address);
  NativeMemo::Entry* const entry =
      FindMemo(memo, stack_pointer, return_address, NativeGeneration());
  if (entry == nullptr) return CaptureNewStack(stack_pointer, return_address);
  if (++memo->hits % NativeMemo::kHitsPerCheck != 0) return entry->id;
  return CheckKnownStack(memo, entry, stack_pointer);
}

}  // namespace rollcall::interpose
