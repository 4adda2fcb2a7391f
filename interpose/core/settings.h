// What the environment says about recording; the table is settings.def. Read once, when a trace is
// opened, by the thread that makes the first call: getenv in our own thread would race with a guest
// that sets variables.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

void ReadSettings() noexcept;

// ROLLCALL_DISABLE; reads the environment each time.
bool RecordingIsDisabled() noexcept;

// As ReadSettings found them; before it, the defaults.
const char* FolderSetting() noexcept;      // null = not set
std::uint64_t BoundSetting() noexcept;     // bytes; 0 = not set
std::uint64_t HangNanoseconds() noexcept;  // 0 = no snapshots of hangs
bool PythonStacksAreOn() noexcept;
bool NativeStacksAreOn() noexcept;
bool PythonHooksAreOn() noexcept;
bool ExceptionTextIsRecorded() noexcept;
bool SignalsAreOn() noexcept;
bool MessagesAreOn() noexcept;

}  // namespace rollcall::interpose
