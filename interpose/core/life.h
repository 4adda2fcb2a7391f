// Between the recorder and what watches the life of the process (its end, its hangs): who calls
// whom.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/raw_layout.h"

namespace rollcall::interpose {

// Called by the recorder. Started: once per trace, by the thread in EnsureRecording, when the state
// page and the helper thread are there. Round: by the helper thread alone, at least twice a second.
void LifeStarted() noexcept;
void LifeRound(std::uint64_t now_ns) noexcept;

// Provided by the recorder.
// The state page of this process's own trace; null when it has none, and in a forked child until it
// records by itself (a word on a page that the kernel wipes at fork). A vfork child still sees its
// parent's: compare the pid before writing.
RollcallState* StatePage() noexcept;
// Makes words of the state page that were just stored visible in the file, where it is written
// without a shared mapping. Async-signal-safe, keeps errno.
void PublishState(const void* word, std::size_t bytes) noexcept;
// Ends the helper's sleep. Async-signal-safe.
void WakeHelper() noexcept;
// Folder of the trace, and name of its file in it; both live as long as the process.
const char* TraceFolder() noexcept;
const char* TraceFileName() noexcept;
// The row that was entered first of those that are pending: its number plus 1, and when it was
// entered; 0 = none is pending.
std::uint64_t OldestPendingRow(std::uint64_t* entered_ns) noexcept;
// When the last call was entered or the last communicator defined, CLOCK_MONOTONIC ns; 0 = there is
// no communicator.
std::uint64_t LastCallNs() noexcept;

}  // namespace rollcall::interpose
