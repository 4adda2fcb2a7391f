// What a thread of the guest is to the recorder.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

struct Recorder;

struct RecordingThread {
  Recorder* recorder;        // whose ids these are: a forked child's are others
  std::uint32_t id;          // Thread.id; 0 = not defined yet
  std::uint32_t stamp_slot;  // plus 1; 0 = not taken yet
};

// Initial-exec, so that it costs one instruction and needs no symbol of the dynamic linker; the
// library is loaded at start.
extern constinit thread_local RecordingThread recording_thread [[gnu::tls_model("initial-exec")]];

// Of the calling thread, with its Thread.id defined; 0 = the definitions are full.
std::uint32_t CurrentThread(Recorder& recorder) noexcept;

}  // namespace rollcall::interpose
