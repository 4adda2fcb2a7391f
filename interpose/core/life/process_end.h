// How the process says that it ends, in its state page: an exit status or a fatal signal. What says
// nothing (SIGKILL) is told by the mutex of that page.
//
// A process that never recorded is not touched. After fork the child's ends are its own: every hook
// compares the pid by system call, because a vfork child runs in its parent's memory and
// CPython 3.11 calls _exit there.
#pragma once

#include <csignal>
#include <cstdint>

#include "proto/raw_layout.h"

namespace rollcall::interpose {

// Registers the on_exit handler and the signal handlers, and makes this process the one whose ends
// are noted. For each new trace.
void WatchProcessEnd() noexcept;
// The state page if it is that of the process that runs, else null: also in fork and vfork
// children. Async-signal-safe.
RollcallState* OwnStatePage() noexcept;

// Async-signal-safe; the last one counts, as it does for the kernel.
void NoteExit(RollcallEnd kind, int status) noexcept;
void NoteSignal(const siginfo_t& info) noexcept;

// Only signals that are SIG_DFL get a handler; it notes the signal and lets it kill as it would
// have done.
void WatchFatalSignals() noexcept;
// Finds the `_exit` that ours stands in front of.
void FindNextExit() noexcept;

}  // namespace rollcall::interpose
