// What the Python programs of this folder load with ctypes: captures, and tells as text what was
// recorded.
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analyzer/trace/python_lines.h"
#include "interpose/native/capture.h"
#include "interpose/python/capture.h"
#include "interpose/python/line_table.h"
#include "interpose/python/thread_snapshot.h"
#include "tests/python/memory_recorder.h"

#define PROBE extern "C" __attribute__((visibility("default")))

namespace {

using rollcall::interpose::CaptureNativeStack;
using rollcall::interpose::CapturePythonStack;
using rollcall::tests::MemoryRecorder;
using rollcall::tests::TheMemoryRecorder;

int Minor() {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::string& version = recorder.settings["python.version"];
  return version.size() > 2 ? std::stoi(version.substr(2)) : 0;
}

// "file\tline\tfunction\n" per frame, innermost first; "..." last if there were more.
std::string DescribeStack(std::uint32_t id) {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  if (id == 0 || id > recorder.python_stacks.size()) return "";
  const int minor = Minor();
  const auto& stack = recorder.python_stacks[id - 1];
  std::string text;
  for (std::size_t i = 0; i < stack.code.size(); ++i) {
    const auto& code = recorder.codes[stack.code[i] - 1];
    const int line = rollcall::analyzer::PythonLine(minor, static_cast<int>(code.first_line),
                                                    code.line_table, stack.offset[i]);
    text += code.file + "\t" + std::to_string(line) + "\t" + code.function + "\n";
  }
  return stack.truncated ? text + "..." : text;
}

int CopyOut(const std::string& text, char* buffer, int capacity) {
  const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(capacity - 1));
  std::memcpy(buffer, text.data(), bytes);
  buffer[bytes] = '\0';
  return static_cast<int>(bytes);
}

std::uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);  // other programs may be running
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// The way that is not taken: frames by Python's own functions, under the GIL.
struct GilWalk {
  static inline int (*ensure)() = nullptr;
  static inline void (*release)(int) = nullptr;
  static inline void* (*first)() = nullptr;
  static inline void* (*back)(void*) = nullptr;
  static inline int (*line)(void*) = nullptr;
  static inline void (*drop)(void*) = nullptr;

  template <class Function>
  static bool Find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    return *function != nullptr;
  }
  static bool Find() {
    return Find("PyGILState_Ensure", &ensure) && Find("PyGILState_Release", &release) &&
           Find("PyEval_GetFrame", &first) && Find("PyFrame_GetBack", &back) &&
           Find("PyFrame_GetLineNumber", &line) && Find("Py_DecRef", &drop);
  }
  static void Run() {
    const int state = ensure();
    void* frame = first();  // borrowed
    for (bool is_owned = false; frame != nullptr; is_owned = true) {
      line(frame);
      void* const next = back(frame);
      if (is_owned) drop(frame);
      frame = next;
    }
    release(state);
  }
};

void* CaptureOnThread(void*) {
  CapturePythonStack();
  CaptureNativeStack();
  return nullptr;
}

}  // namespace

PROBE int probe_stack(char* buffer, int capacity) {
  return CopyOut(DescribeStack(CapturePythonStack()), buffer, capacity);
}

PROBE unsigned probe_stack_id() {
  return CapturePythonStack();
}
PROBE unsigned probe_native_stack_id() {
  return CaptureNativeStack();
}
PROBE int probe_describe(unsigned id, char* buffer, int capacity) {
  return CopyOut(DescribeStack(id), buffer, capacity);
}

// 0 = errno survived both captures.
PROBE int probe_errno() {
  errno = 4711;
  CapturePythonStack();
  CaptureNativeStack();
  return errno - 4711;
}

PROBE int probe_setting(const char* name, char* buffer, int capacity) {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  return CopyOut(recorder.settings[name], buffer, capacity);
}

PROBE unsigned probe_count(int what) {
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  return static_cast<unsigned>(what == 0   ? recorder.codes.size()
                               : what == 1 ? recorder.python_stacks.size()
                                           : recorder.native_stacks.size());
}

PROBE void probe_set_recording(int on) {
  TheMemoryRecorder().is_recording = on != 0;
}
PROBE void probe_set_stacks(int on) {
  TheMemoryRecorder().stacks_are_on = on != 0;
}
PROBE void probe_set_full(int full) {
  TheMemoryRecorder().is_full = full != 0;
}

PROBE int probe_line(int minor, int first_line, const char* table, int bytes, int offset) {
  return rollcall::analyzer::PythonLine(
      minor, first_line, absl::string_view(table, static_cast<std::size_t>(bytes)), offset);
}

PROBE int probe_shorten(int minor, const char* table, int bytes, char* ranges, int capacity) {
  return static_cast<int>(rollcall::interpose::ShortenLineTable(
      minor, reinterpret_cast<const unsigned char*>(table), static_cast<std::size_t>(bytes),
      reinterpret_cast<unsigned char*>(ranges), static_cast<std::size_t>(capacity)));
}

// "tid stable\n" and the stack, per thread, and an empty line.
PROBE int probe_snapshot(char* buffer, int capacity) {
  rollcall::interpose::ThreadStack threads[64];
  std::string text;
  const int count = rollcall::interpose::SnapshotPythonThreads(threads, 64);
  for (int i = 0; i < count; ++i) {
    const std::string stack = DescribeStack(threads[i].python_stack);
    text += std::to_string(threads[i].tid) + " " + (threads[i].stable ? "1\n" : "0\n") + stack +
            (stack.empty() || stack.back() == '\n' ? "\n" : "\n\n");
  }
  return CopyOut(text, buffer, capacity);
}

// Waits for a thread that captures; call it with the GIL held (ctypes.PyDLL). 0 = it finished.
PROBE int probe_wait_for_capture() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, CaptureOnThread, nullptr) != 0) return -1;
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 20;
  return pthread_timedjoin_np(thread, nullptr, &deadline);
}

// Captures again and again for some milliseconds, without coming back to Python.
PROBE int probe_capture_for(int milliseconds) {
  timespec start{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  int captured = 0;
  for (timespec now = start;
       (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds;
       clock_gettime(CLOCK_MONOTONIC, &now)) {
    captured += CapturePythonStack() != 0 ? 1 : 0;
    CaptureNativeStack();
  }
  return captured;
}

// Captures when libc runs the handlers of the process's end, behind the interpreter's.
PROBE int probe_capture_at_exit() {
  return std::atexit([] {
    std::printf("after the interpreter: %d\n", probe_capture_for(300) == 0 ? 0 : 1);
    std::fflush(stdout);
  });
}

// Best of five rounds, ns per call. 0 = Python stack, 1 = native stack, 2 = both, 3 = backtrace(),
// 4 = a walk with the GIL (3.9 and later; 0 where it cannot be made).
PROBE double probe_bench(int what, int calls) {
  double best = 1e18;
  if (what == 4 && !GilWalk::Find()) return 0;
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t start = Now();
    for (int i = 0; i < calls; ++i) {
      void* pcs[64];
      if (what == 0 || what == 2) CapturePythonStack();
      if (what == 1 || what == 2) CaptureNativeStack();
      if (what == 3) backtrace(pcs, 64);
      if (what == 4) GilWalk::Run();
    }
    best = std::min(best, static_cast<double>(Now() - start) / calls);
  }
  return best;
}
