#include "interpose/core/process_state.h"

#include <pthread.h>
#include <sys/mman.h>

namespace rollcall::interpose {

std::atomic<ProcessPage*> process_page;

ProcessPage* MakeProcessPage() noexcept {
  ProcessPage* there = process_page.load(std::memory_order_acquire);
  if (there) return there;
  constexpr std::size_t kBytes = 4096;
  void* const page =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  const bool is_wiped = madvise(page, kBytes, MADV_WIPEONFORK) == 0;
  auto* const made = static_cast<ProcessPage*>(page);
  if (!process_page.compare_exchange_strong(there, made, std::memory_order_acq_rel)) {
    munmap(page, kBytes);
    return there;
  }
  // Kernels before 4.14 and some sandboxes: what calls fork(3) at least is covered.
  if (!is_wiped) pthread_atfork(nullptr, nullptr, ForgetAfterFork);
  return made;
}

void ForgetAfterFork() noexcept {
  ProcessPage* const page = process_page.load(std::memory_order_acquire);
  if (!page) return;
  page->recorder.store(nullptr, std::memory_order_relaxed);
  page->phase.store(kProcessFresh, std::memory_order_release);
}

}  // namespace rollcall::interpose
