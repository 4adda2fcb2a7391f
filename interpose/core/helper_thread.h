// The one thread of the recorder: prepares blocks ahead of the calls, grows the file, hashes rows,
// and says that the process is alive. Started when the trace is opened, never in a process that
// records nothing; blocks all signals. Without it the callers do its work, later.
#pragma once

namespace rollcall::interpose {

struct Recorder;

// Returns false when there is no thread to be had.
bool StartHelper(Recorder& recorder) noexcept;
// For tests: ends the thread and waits for it.
void StopHelper(Recorder& recorder) noexcept;

}  // namespace rollcall::interpose
