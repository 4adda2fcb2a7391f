// Opening the trace of this process.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

struct Recorder;

struct OpenOptions {
  const char* folder = nullptr;  // null = the default folder
  std::uint64_t bound = 0;       // bytes; 0 = 64 MiB, 16 MiB where files are memory
  bool helper = true;
  bool write_through = false;      // by pwrite(2), also where a mapping would be safe
  std::uint32_t last_entered = 0;  // 0 = ROLLCALL_LAST_ENTERED; tests end blocks earlier
};

// Makes this process record. Returns 0 or an errno; then it does not. Once per process.
int OpenRecorder(const OpenOptions& options) noexcept;

}  // namespace rollcall::interpose
