// Snapshots: where every Python thread is, and which files the process holds open for writing. As
// events, by the helper thread.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// By the helper thread alone. reason: "hang", "idle", "request", "exit".
void WriteSnapshot(const char* reason) noexcept;

}  // namespace rollcall::interpose
