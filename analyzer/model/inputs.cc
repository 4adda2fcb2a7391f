#include "analyzer/model/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

bool IsLauncherRecord(const std::string& name) {
  return absl::StartsWith(name, "run.") && absl::EndsWith(name, ".json");
}

void AddFolder(const std::filesystem::path& folder, Inputs& inputs) {
  std::error_code error, ignored;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const std::string name = entry->path().filename().string();
    if (entry->is_directory(ignored)) {
      inputs.inner_folders.push_back(path);
    } else if (IsLauncherRecord(name)) {
      inputs.launchers.push_back(path);
    } else if (absl::EndsWith(name, ".rollcall")) {
      inputs.traces.push_back(path);
    } else {
      ++inputs.other_files;
    }
  }
  if (error) {
    inputs.missing.push_back(
        absl::StrCat(folder.string(), ": cannot read the folder: ", error.message()));
  }
}

// A file may be given by several names: twice, by a link, beside its folder.
void KeepEachOnce(std::vector<std::string>& paths, std::vector<std::string>* repeated) {
  std::sort(paths.begin(), paths.end());
  std::set<std::pair<dev_t, ino_t>> seen;
  std::vector<std::string> kept;
  for (std::string& path : paths) {
    struct stat status {};
    const bool is_new =
        stat(path.c_str(), &status) != 0 || seen.emplace(status.st_dev, status.st_ino).second;
    if (is_new) {
      kept.push_back(std::move(path));
    } else if (repeated != nullptr) {
      repeated->push_back(std::move(path));
    }
  }
  paths = std::move(kept);
}

}  // namespace

Inputs FindInputs(const std::vector<std::string>& paths) {
  Inputs inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
      inputs.missing.push_back(absl::StrCat(path, ": no such file or folder"));
    } else if (error) {
      inputs.missing.push_back(absl::StrCat(path, ": cannot look at it: ", error.message()));
    } else if (std::filesystem::is_directory(status)) {
      AddFolder(path, inputs);
    } else if (IsLauncherRecord(std::filesystem::path(path).filename().string())) {
      inputs.launchers.push_back(path);
    } else {
      inputs.traces.push_back(path);
    }
  }
  KeepEachOnce(inputs.traces, &inputs.repeated);
  KeepEachOnce(inputs.launchers, nullptr);
  std::sort(inputs.missing.begin(), inputs.missing.end());
  std::sort(inputs.inner_folders.begin(), inputs.inner_folders.end());
  return inputs;
}

}  // namespace rollcall::analyzer
