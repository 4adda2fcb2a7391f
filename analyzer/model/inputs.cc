#include "analyzer/model/inputs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"

namespace rollcall::analyzer {
namespace {

void AddFile(const std::filesystem::path& path, bool given, Inputs& inputs) {
  const std::string name = path.filename().string();
  if (absl::StartsWith(name, "run.") && absl::EndsWith(name, ".json")) {
    inputs.launchers.push_back(path.string());
  } else if (given || absl::EndsWith(name, ".rollcall")) {
    inputs.traces.push_back(path.string());
  }
}

void SortOnce(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
}

}  // namespace

Inputs FindInputs(const std::vector<std::string>& paths) {
  Inputs inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
      inputs.missing.push_back(path);
    } else if (std::filesystem::is_directory(status)) {
      for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
           entry.increment(error)) {
        if (!entry->is_directory(error)) AddFile(entry->path(), false, inputs);
      }
    } else {
      AddFile(path, true, inputs);
    }
  }
  SortOnce(inputs.traces);
  SortOnce(inputs.launchers);
  return inputs;
}

}  // namespace rollcall::analyzer
