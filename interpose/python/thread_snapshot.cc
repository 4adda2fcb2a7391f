// Threads run while they are read: everything comes through the kernel (a freed frame is an error
// there, not a crash), every code object is checked by type, and a stack counts as stable only if
// the thread stood still.
#include "interpose/python/thread_snapshot.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "interpose/core/recorder.h"
#include "interpose/core/slow_section.h"
#include "interpose/python/python_state.h"

namespace rollcall::interpose {
namespace {

constexpr int kTries = 3;

// Where glibc keeps the kernel's id in a thread's descriptor, found in our own; 0 = not found.
std::uintptr_t FindTidMember(GuestMemory& memory) noexcept {
  constexpr std::uintptr_t kDescriptorBytes = 2048;
  const auto self = static_cast<std::uintptr_t>(pthread_self());
  const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  for (std::uintptr_t at = 0; at < kDescriptorBytes; at += 4) {
    std::uint32_t word = 0;
    if (!memory.Load(self + at, &word)) return 0;
    if (word == tid) return at;
  }
  return 0;
}

bool IsThread(std::uint32_t tid) noexcept {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/task/%u", tid);
  return tid != 0 && access(path, F_OK) == 0;
}

std::uint32_t FindTid(const PythonLayout& layout, GuestMemory& memory, std::uintptr_t thread,
                      std::uintptr_t pthread, std::uintptr_t tid_member) noexcept {
  std::uint32_t tid = 0;
  if (tid_member != 0 && pthread != 0 && memory.Load(pthread + tid_member, &tid) && IsThread(tid)) {
    return tid;
  }
  // 3.11 and later. In a forked child it can be that of the parent's thread.
  std::uint64_t native = 0;
  if (layout.thread_native != 0 && memory.Load(thread + layout.thread_native, &native) &&
      IsThread(static_cast<std::uint32_t>(native))) {
    return static_cast<std::uint32_t>(native);
  }
  return 0;
}

// What changes whenever the thread runs Python.
struct Position {
  std::uintptr_t frame = 0;
  std::uint64_t instruction = 0;
  bool operator==(const Position&) const = default;
};

Position ReadPosition(const PythonLayout& layout, GuestMemory& memory,
                      std::uintptr_t thread) noexcept {
  Position position;
  memory.Forget();
  if (FirstPythonFrame(layout, memory, thread, &position.frame) && position.frame != 0) {
    memory.Load(position.frame + layout.frame_instruction, &position.instruction);
  }
  return position;
}

void ReadThread(PythonState* state, GuestMemory& memory, std::uintptr_t thread,
                std::uintptr_t tid_member, ThreadStack* out) noexcept {
  const PythonLayout& layout = state->python.layout;
  PythonFrames frames;
  memory.Forget();
  memory.Load(thread + layout.thread_pthread, &out->pthread);
  out->tid = FindTid(layout, memory, thread, out->pthread, tid_member);
  for (int i = 0; i < kTries && !out->stable; ++i) {
    const Position before = ReadPosition(layout, memory, thread);
    WalkPythonFrames(state->python, memory, thread, &frames);
    out->stable = !frames.broken && before == ReadPosition(layout, memory, thread);
  }
  if (frames.count == 0) return;
  memory.Forget();
  out->python_stack = DefinePythonFrames(state, memory, &frames, HashPythonFrames(frames));
}

}  // namespace

int SnapshotPythonThreads(ThreadStack* threads, int capacity) noexcept {
  const ErrnoGuard errno_guard;
  int count = 0;
  PythonState* const state = IsRecording() ? ThePythonState() : nullptr;
  GuestMemory memory(false);
  std::uintptr_t thread = 0;
  if (state != nullptr && EnsurePython(state) && memory.IsChecked()) {
    const Interpreter& python = state->python;
    const bool is_ending = python.is_finalizing != nullptr && python.is_finalizing() != 0;
    if (!is_ending && python.main_interpreter != nullptr) {
      const auto main = reinterpret_cast<std::uintptr_t>(python.main_interpreter());
      memory.Load(main + python.layout.interpreter_threads, &thread);
    }
  }
  if (capacity > kMaxPythonThreads) capacity = kMaxPythonThreads;
  // The list has the newest first. Of more threads than fit, the oldest, the main thread, is kept.
  std::uintptr_t found[kMaxPythonThreads];
  int found_count = 0;
  for (std::uint32_t hops = 0; thread != 0 && capacity > 0 && hops < kMaxPythonHops; ++hops) {
    found[found_count < capacity ? found_count++ : capacity - 1] = thread;
    if (!memory.Load(thread + state->python.layout.thread_next, &thread)) break;
  }
  const std::uintptr_t tid_member = found_count != 0 ? FindTidMember(memory) : 0;
  const auto main_tid = static_cast<std::uint32_t>(getpid());
  while (found_count-- > 0) {
    threads[count] = ThreadStack{};
    ReadThread(state, memory, found[found_count], tid_member, &threads[count]);
    // Usually the first already: the main thread is the oldest.
    if (threads[count].tid == main_tid && count != 0) {
      const ThreadStack main_thread = threads[count];
      for (int i = count; i > 0; --i)
        threads[i] = threads[i - 1];
      threads[0] = main_thread;
    }
    ++count;
  }
  return count;
}

}  // namespace rollcall::interpose
