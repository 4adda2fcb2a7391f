// Facts of the process that a diagnosis needs, as settings of the trace. An allow-list:
// environments hold secrets.
#pragma once

namespace rollcall::interpose {

// Environment, executable, script and working folder. The trace is open.
void DefineEnvironment() noexcept;
// Whether an environment variable is written to the trace.
bool EnvironmentIsRecorded(const char* name) noexcept;

}  // namespace rollcall::interpose
