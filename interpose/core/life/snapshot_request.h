// A rank that hangs asks the others where they are: a counter in the state page of their traces,
// which their helpers poll. Only files in the same folder, so only ranks that share it; never a
// signal.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// Raises the counter in every other trace of the folder whose process lives. Never blocks on a
// lock; failures are nobody's business.
void RequestSnapshotsOfOthers(const char* folder, const char* own_file) noexcept;

// The counter as it stands in the file, for traces that are not written through a shared mapping; 0
// = it cannot be read.
std::uint32_t ReadSnapshotRequest(const char* folder, const char* own_file) noexcept;

// Says in older traces of this same process (same host, pid and start time) that it became another
// program by exec.
void MarkTracesBeforeExec(const char* folder, const char* own_file) noexcept;

}  // namespace rollcall::interpose
