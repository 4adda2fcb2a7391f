// The folder of one run.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace rollcall::tools {

// Makes the folder (and what is above it) for this user alone, or takes the one that is there:
// several nodes may share it.
// "" = rollcall-<time>-<pid> in the working directory. Returns its absolute path.
absl::StatusOr<std::string> MakeRunFolder(const std::string& wanted);

}  // namespace rollcall::tools
