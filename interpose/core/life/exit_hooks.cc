// _exit and _Exit, the only functions of libc that are interposed: they run no on_exit handler.
// Python's os._exit and every forked worker of multiprocessing end here.
//
// May be called in a vfork child, where all memory is the parent's (CPython 3.11 does so when a
// program to start is missing), and in a signal handler: nothing is written but by the recorded
// process itself, and nothing is looked up.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "interpose/core/life/process_end.h"
#include "interpose/core/life/snapshot_at_exit.h"

namespace rollcall::interpose {
namespace {

using ExitFunction = void (*)(int);
constinit std::atomic<ExitFunction> next_exit{nullptr};

[[noreturn]] void Leave(int status) noexcept {
  NoteExit(kRollcallEndQuick, status);
  SnapshotAtExit();
  // Known in recorded processes. Elsewhere what libc does: a dlsym here could wait for a thread
  // that sits in dlopen.
  if (const ExitFunction next = next_exit.load(std::memory_order_relaxed)) next(status);
  for (;;)
    syscall(SYS_exit_group, status);
}

}  // namespace

void FindNextExit() noexcept {
  next_exit.store(reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "_exit")),
                  std::memory_order_relaxed);
}

}  // namespace rollcall::interpose

extern "C" {

[[gnu::visibility("default")]] void _exit(int status) {
  rollcall::interpose::Leave(status);
}

[[gnu::visibility("default")]] void _Exit(int status) noexcept {
  rollcall::interpose::Leave(status);
}

}  // extern "C"
