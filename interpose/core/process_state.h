// What this library keeps outside of a trace: one pointer, on a page that the kernel wipes at fork
// (MADV_WIPEONFORK). So every entry point learns by one load whether this process records, and a
// child starts clean whatever made it: fork, clone, a raw system call. After vfork parent and child
// share it: hooks of exits and signals compare the pid first.
#pragma once

#include <atomic>
#include <cstdint>

namespace rollcall::interpose {

struct Recorder;

struct ProcessPage {
  std::atomic<Recorder*> recorder;
  std::atomic<std::uint32_t> phase;  // ProcessPhase
};

enum ProcessPhase : std::uint32_t {
  kProcessFresh = 0,  // nobody asked for a trace yet
  kProcessOpening = 1,
  kProcessOpened = 2,
  kProcessOff = 3  // switched off, failed, or stopped
};

// Null until MakeProcessPage, and in no process before its first call.
extern std::atomic<ProcessPage*> process_page;

// Idempotent. Returns null when there is no such page to be had.
ProcessPage* MakeProcessPage() noexcept;

// The recorder of this process; null = it does not record.
inline Recorder* CurrentRecorder() noexcept {
  ProcessPage* const page = process_page.load(std::memory_order_acquire);
  return page ? page->recorder.load(std::memory_order_acquire) : nullptr;
}

// In a forked child: leaves the parent's state alone. The kernel has done so where it knows
// MADV_WIPEONFORK; harmless to call again.
void ForgetAfterFork() noexcept;

}  // namespace rollcall::interpose
