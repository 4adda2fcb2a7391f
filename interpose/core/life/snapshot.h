// Snapshots: where every Python thread is, and which files the process holds open for writing. As
// events, by the helper thread.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// By the helper thread alone. reason: "hang", "idle", "request", "exit". number: of the snapshot in
// this trace, from 1.
void WriteSnapshot(const char* reason, std::int64_t number) noexcept;

}  // namespace rollcall::interpose
