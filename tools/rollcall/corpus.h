// The cases of a corpus (traces/README.md): where they are, and the trace files of each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/scenario/synthesize.h"

namespace rollcall::tools {

// All of a file; "" if it cannot be read.
std::string ReadWhole(const std::filesystem::path& path);

// Folders with an expected.txt, by name.
std::vector<std::filesystem::path> FindCases(const std::filesystem::path& corpus);

// Played from scenario.txt, or as recorded; sorted by name.
absl::StatusOr<std::vector<analyzer::scenario::TraceImage>> TracesOfCase(
    const std::filesystem::path& folder);

}  // namespace rollcall::tools
