// Where every Python thread of the process is now, for a helper thread that holds no GIL and stops
// nobody.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

struct ThreadStack {
  // Kernel thread id; 0 = not known (then pthread alone names it).
  std::uint32_t tid = 0;
  // PythonStack.id; 0 = no frames could be read.
  std::uint32_t python_stack = 0;
  // pthread_t.
  std::uint64_t pthread = 0;
  // The thread did not move while it was read. A stack of a moving thread may join frames of two
  // moments; no frame is invented.
  bool stable = false;
};

constexpr int kMaxPythonThreads = 256;

// Fills at most `capacity` threads of the main interpreter, the process's main thread first, the
// others from old to new; returns how many. 0: no Python, or it cannot be read. Allocates nothing;
// one caller at a time.
int SnapshotPythonThreads(ThreadStack* threads, int capacity) noexcept;

}  // namespace rollcall::interpose
