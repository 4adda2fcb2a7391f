// Where the threads are when the process says that it ends: os._exit leaves no other trace of the
// line it came from.
#pragma once

namespace rollcall::interpose {

// The helper thread writes it, since the caller may be a signal handler; the caller waits, at most
// a tenth of a second. Async-signal-safe; does nothing outside the recorded process, and the second
// time.
void SnapshotAtExit() noexcept;
// By the helper: whether one is asked for and not written; says that it is written.
bool SnapshotAtExitIsAsked() noexcept;
void SnapshotAtExitIsWritten() noexcept;
// For each new trace.
void ResetSnapshotAtExit() noexcept;

}  // namespace rollcall::interpose
