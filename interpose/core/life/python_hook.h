// Learns of uncaught Python exceptions: sys.excepthook and threading.excepthook, where they are
// Python's own, become functions that note the exception and then do what they did. Off with
// ROLLCALL_PYTHON_HOOKS=0.
#pragma once

namespace rollcall::interpose {

// Takes no GIL and needs no thread state: asks the interpreter to do it at its next safe point, on
// its main thread. No effect without a Python, or the second time.
void InstallPythonHook() noexcept;

}  // namespace rollcall::interpose
