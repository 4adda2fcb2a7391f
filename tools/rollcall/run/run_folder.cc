#include "tools/rollcall/run/run_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace rollcall::tools {
namespace {

std::string DefaultName() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return absl::StrCat("rollcall-", text, "-", getpid());
}

}  // namespace

absl::StatusOr<std::string> MakeRunFolder(const std::string& wanted) {
  std::error_code error;
  std::string path =
      std::filesystem::absolute(wanted.empty() ? DefaultName() : wanted, error).string();
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (mkdir(path.c_str(), 0700) != 0) {
    if (errno != EEXIST || !std::filesystem::is_directory(path, error)) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the folder ", path));
    }
    if (access(path.c_str(), W_OK | X_OK) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot write into the folder ", path));
    }
  }
  return path;
}

}  // namespace rollcall::tools
