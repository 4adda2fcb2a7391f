// Fatal signals. A handler is there only where nobody else had one; it notes the signal, restores
// the default action and sends the same signal to the same thread again. It is blocked until the
// handler returns, so the process dies where it was, with the same exit status, core dump bit and
// siginfo.
//
// Not SIGINT: a Python that finds a handler at its start installs no KeyboardInterrupt. No
// alternative stack is set up: on a stack overflow without one the kernel kills as it would have
// done, and the trace says "killed without notice".
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "interpose/core/life/process_end.h"

namespace rollcall::interpose {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int kSent[] = {SIGABRT, SIGTERM, SIGHUP};

void OnFatalSignal(int signal, siginfo_t* info, void*) {
  const int saved_errno = errno;
  NoteSignal(*info);
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(signal, &default_action, nullptr);
  const long pid = syscall(SYS_getpid);
  const long tid = syscall(SYS_gettid);
  // Also for faults: the queued one comes before the instruction is tried again.
  if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, info) != 0) {
    syscall(SYS_tgkill, pid, tid, signal);
  }
  errno = saved_errno;
}

bool IsDefault(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void WatchIfDefault(int signal) noexcept {
  struct sigaction current = {};
  if (sigaction(signal, nullptr, &current) != 0 || !IsDefault(current)) return;
  struct sigaction ours = {};
  ours.sa_sigaction = OnFatalSignal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  struct sigaction replaced = {};
  sigaction(signal, &ours, &replaced);
  // Another thread of the guest may have been faster.
  if (!IsDefault(replaced)) sigaction(signal, &replaced, nullptr);
}

}  // namespace

void WatchFatalSignals() noexcept {
  for (const int signal : kFaults)
    WatchIfDefault(signal);
  // To the first process of a container the kernel sends no signal whose action is the default, but
  // would send it to a handler.
  if (syscall(SYS_getpid) == 1) return;
  for (const int signal : kSent)
    WatchIfDefault(signal);
}

}  // namespace rollcall::interpose
