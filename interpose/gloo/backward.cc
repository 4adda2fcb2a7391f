// Backward passes: torch::autograd::Engine::execute. They are counted per site, and say where
// gradients come from that are reduced by threads without Python frames.
#include "interpose/gloo/backward.h"

#include <sys/mman.h>

#include <atomic>

#include "interpose/core/clock.h"
#include "interpose/gloo/calls.h"
#include "interpose/gloo/thread_state.h"
#include "interpose/native/wiped_memory.h"
#include "interpose/python/capture.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kSites = 512;   // sites beyond that are not counted
constexpr std::uint32_t kRunning = 32;  // passes beyond that initiate nothing

struct Site {
  std::atomic<std::uint32_t> stack;  // 0 = free
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> written;
  std::atomic<std::uint64_t> first_ns;
};

// Zeroed in a forked child.
struct Passes {
  std::atomic<std::uint32_t> running[kRunning];  // stacks of those that run; 0 = free
  Site sites[kSites];
};

std::atomic<Passes*> global_passes{nullptr};

Passes* AllPasses() noexcept {
  Passes* passes = global_passes.load(std::memory_order_acquire);
  if (passes != nullptr) return passes;
  auto* const mapped = static_cast<Passes*>(MapWipedMemory(sizeof(Passes)));
  if (mapped == nullptr) return nullptr;
  if (global_passes.compare_exchange_strong(passes, mapped)) return mapped;
  munmap(mapped, sizeof(Passes));
  return passes;
}

void WriteSite(Site& site, std::uint64_t count) noexcept {
  site.written.store(count, std::memory_order_relaxed);
  const std::uint64_t first_ns = site.first_ns.load(std::memory_order_relaxed);
  EventArguments event;
  event.kind = ROLLCALL_EVENT_BACKWARD;
  event.value = static_cast<std::int64_t>(count);
  event.data = &first_ns;
  event.data_bytes = sizeof first_ns;
  event.python_stack = site.stack.load(std::memory_order_relaxed);
  WriteEvent(event);
}

void Count(Passes& passes, std::uint32_t stack) noexcept {
  for (std::uint32_t i = 0; i < kSites; ++i) {
    Site& site = passes.sites[(stack + i) % kSites];
    std::uint32_t expected = 0;
    if (!site.stack.compare_exchange_strong(expected, stack) && expected != stack) continue;
    const std::uint64_t count = site.count.fetch_add(1) + 1;
    if (count == 1) site.first_ns.store(MonotonicNow());
    if ((count & (count - 1)) == 0) WriteSite(site, count);
    return;
  }
}

}  // namespace

// Passes inside a pass of the same thread (checkpointing) belong to it.
void EnterBackward(RollcallCall& call) noexcept {
  if (thread_state.backward++ != 0 || !IsRecording()) return;
  const std::uint32_t stack = CapturePythonStack();
  Passes* const passes = stack == 0 ? nullptr : AllPasses();
  if (passes == nullptr) return;
  Count(*passes, stack);
  for (std::uint32_t i = 0; i < kRunning; ++i) {
    std::uint32_t expected = 0;
    if (!passes->running[i].compare_exchange_strong(expected, stack)) continue;
    call.mark = i + 1;
    return;
  }
}

void LeaveBackward(RollcallCall& call) noexcept {
  --thread_state.backward;
  if (call.mark != 0)
    if (Passes* const passes = AllPasses()) passes->running[call.mark - 1].store(0);
}

void AddInitiator(CallArguments* arguments) noexcept {
  const Passes* const passes = global_passes.load(std::memory_order_acquire);
  if (passes == nullptr) return;
  for (const std::atomic<std::uint32_t>& running : passes->running) {
    const std::uint32_t stack = running.load(std::memory_order_acquire);
    if (stack == 0) continue;
    if (arguments->initiator != 0) arguments->flags |= ROLLCALL_FLAG_AMBIGUOUS_INITIATOR;
    arguments->initiator = stack;
  }
}

void WriteBackwardTotals() noexcept {
  Passes* const passes = global_passes.load(std::memory_order_acquire);
  if (passes == nullptr || !IsRecording()) return;
  for (Site& site : passes->sites) {
    const std::uint64_t count = site.count.load();
    if (count != site.written.load()) WriteSite(site, count);
  }
}

}  // namespace rollcall::interpose
