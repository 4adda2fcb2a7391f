#include "interpose/core/life/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "interpose/core/life/snapshot_files.h"
#include "interpose/core/life/snapshot_thread_id.h"
#include "interpose/core/recorder.h"
#include "interpose/python/thread_snapshot.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr int kMaxFiles = 32;

constinit std::int64_t current = 0;  // number of the snapshot that is being written
constinit ThreadStack threads[kMaxPythonThreads] = {};  // the helper's stack is small

// Name of a thread as the kernel knows it; "" when it has gone.
std::size_t ReadThreadName(std::uint32_t tid, char (&name)[32]) noexcept {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t bytes = read(file, name, sizeof(name));
  close(file);
  if (bytes > 0 && name[bytes - 1] == '\n') --bytes;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void WriteSnapshotEvent(std::uint32_t kind, const void* data, std::size_t data_bytes,
                        const ThreadStack& thread = {}) noexcept {
  EventArguments event{};
  event.kind = kind;
  event.value = current;
  event.data = data;
  event.data_bytes = data_bytes;
  event.tid = thread.tid;
  event.python_stack = thread.python_stack;
  WriteEvent(event);
}

void WriteThread(const ThreadStack& thread) noexcept {
  char name[32];
  const std::size_t bytes = ReadThreadName(thread.tid, name);
  WriteSnapshotEvent(ROLLCALL_EVENT_SNAPSHOT_THREAD, name, bytes, thread);
}

}  // namespace

void WriteSnapshot(const char* reason, std::int64_t number) noexcept {
  current = number;
  WriteSnapshotEvent(ROLLCALL_EVENT_SNAPSHOT_BEGIN, reason, std::strlen(reason));
  const int count = SnapshotPythonThreads(threads, kMaxPythonThreads);
  for (int i = 0; i < count; ++i) {
    if (threads[i].tid == 0) threads[i].tid = KernelThreadId(threads[i].pthread);
    WriteThread(threads[i]);
  }
  ForEachFileOpenForWriting(kMaxFiles, [](const char* path, std::size_t bytes) {
    WriteSnapshotEvent(ROLLCALL_EVENT_SNAPSHOT_FILE, path, bytes);
  });
  WriteSnapshotEvent(ROLLCALL_EVENT_SNAPSHOT_END, nullptr, 0);
}

}  // namespace rollcall::interpose
