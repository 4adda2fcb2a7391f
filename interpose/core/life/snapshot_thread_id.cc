// libc keeps the kernel's id in the thread's descriptor, to which pthread_t points, at a place that
// differs between versions and machines. The calling thread knows its own id, so it can find the
// place in its own descriptor.
#include "interpose/core/life/snapshot_thread_id.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace rollcall::interpose {
namespace {

constexpr std::size_t kSearchedWords = 512;

bool ReadOwnMemory(std::uint64_t address, void* to, std::size_t bytes) noexcept {
  const iovec local = {to, bytes};
  const iovec remote = {reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

// 0 = not found.
std::size_t FindPlace() noexcept {
  const auto own = static_cast<std::uint32_t>(syscall(SYS_gettid));
  const auto descriptor = static_cast<std::uint64_t>(pthread_self());
  for (std::size_t word = 1; word < kSearchedWords; ++word) {
    std::uint32_t value = 0;
    if (!ReadOwnMemory(descriptor + word * sizeof(value), &value, sizeof(value))) return 0;
    if (value == own) return word * sizeof(value);
  }
  return 0;
}

bool IsThreadOfOurs(std::uint32_t tid) noexcept {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%u", tid);
  return access(path, F_OK) == 0;
}

}  // namespace

std::uint32_t KernelThreadId(std::uint64_t pthread) noexcept {
  static constinit std::size_t place = 0;
  if (place == 0) place = FindPlace();
  std::uint32_t tid = 0;
  if (place == 0 || !ReadOwnMemory(pthread + place, &tid, sizeof(tid))) return 0;
  return tid != 0 && IsThreadOfOurs(tid) ? tid : 0;
}

}  // namespace rollcall::interpose
