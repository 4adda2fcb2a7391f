// Kernel thread id of a pthread_t: Python before 3.11 keeps that alone.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// 0 = not known, or the thread has ended. Reads its descriptor through the kernel, so a stale
// pthread_t does no harm.
std::uint32_t KernelThreadId(std::uint64_t pthread) noexcept;

}  // namespace rollcall::interpose
