// Backward passes are counted per site; a count is written when it doubles, and in the end.
#pragma once

namespace rollcall::interpose {

// Writes the counts that the trace does not have yet. For the end of the process; not for signal
// handlers.
void WriteBackwardTotals() noexcept;

}  // namespace rollcall::interpose
