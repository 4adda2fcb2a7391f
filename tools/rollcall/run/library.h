// Where the recorder lies, and how to name it in LD_PRELOAD.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace rollcall::tools {

// librollcall.so: ROLLCALL_LIB (the file, or its folder); else beside this executable: in its build
// tree, or installed in
// ../lib/rollcall/ (also in the folder of the architecture, as Debian has it).
absl::StatusOr<std::string> FindRecorder();

// A path that LD_PRELOAD can hold: the dynamic linker splits it at spaces and colons and expands
// `$`. Such a path is bridged by a link in a folder of the user's own, which stays there: processes
// of the job may outlive their launcher.
absl::StatusOr<std::string> PreloadablePath(const std::string& library);

// The new value of LD_PRELOAD: what is there is kept, ours comes last.
std::string AppendPreload(const char* present, const std::string& library);

}  // namespace rollcall::tools
