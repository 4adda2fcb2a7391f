#include "tools/rollcall/run/library.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rollcall::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "librollcall.so";
constexpr char kSplitting[] = " :$\t\n";

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<fs::path> Candidates() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {folder / ".." / ".." / "interpose" / kName,  // build tree
          folder / ".." / ROLLCALL_LIBRARY_FOLDER / "rollcall" / kName,
          folder / ".." / "lib" / "rollcall" / kName, folder / ".." / "lib64" / "rollcall" / kName};
}

// A folder that nobody else can have put links into.
absl::StatusOr<std::string> OwnFolder() {
  const char* temporary = std::getenv("TMPDIR");
  std::string parent = temporary == nullptr || *temporary != '/' ? "/tmp" : temporary;
  if (parent.find_first_of(kSplitting) != std::string::npos) parent = "/tmp";
  const std::string folder = absl::StrCat(parent, "/rollcall-", getuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", folder));
  }
  struct stat status = {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != getuid() || (status.st_mode & 022) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(folder, " is not a folder of this user alone"));
  }
  return folder;
}

}  // namespace

absl::StatusOr<std::string> FindRecorder() {
  std::error_code error;
  if (const char* given = std::getenv("ROLLCALL_LIB"); given != nullptr && *given != '\0') {
    const fs::path path =
        fs::is_directory(given, error) ? fs::path(given) / kName : fs::path(given);
    if (IsFile(path)) return fs::absolute(path, error).string();
    return absl::NotFoundError(absl::StrCat("ROLLCALL_LIB=", given, " is no ", kName));
  }
  const std::vector<fs::path> candidates = Candidates();
  for (const fs::path& path : candidates) {
    if (IsFile(path)) return fs::canonical(path, error).string();
  }
  const auto name = [](std::string* out, const fs::path& path) {
    out->append(path.lexically_normal().string());
  };
  return absl::NotFoundError(absl::StrCat(kName, " is not at ",
                                          absl::StrJoin(candidates, ", ", name),
                                          "; set ROLLCALL_LIB to where it is"));
}

absl::StatusOr<std::string> PreloadablePath(const std::string& library) {
  if (library.find_first_of(kSplitting) == std::string::npos) return library;
  const absl::StatusOr<std::string> folder = OwnFolder();
  if (!folder.ok()) return folder.status();
  // One link per path, replaced in one step, so that launchers at the same time do not disturb each
  // other.
  const std::string link =
      absl::StrFormat("%s/librollcall-%016x.so", *folder, std::hash<std::string>()(library));
  const std::string beside = absl::StrCat(link, ".", getpid());
  if (symlink(library.c_str(), beside.c_str()) != 0 || rename(beside.c_str(), link.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot link ", link, " to ", library));
  }
  return link;
}

std::string AppendPreload(const char* present, const std::string& library) {
  return present == nullptr || *present == '\0' ? library : absl::StrCat(present, ":", library);
}

}  // namespace rollcall::tools
