#include "analyzer/align/user_frame.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/align/frameworks.h"

namespace rollcall::analyzer {
namespace {

// ".../lib/python3.11/threading.py", and what lies below it but for installed packages.
bool IsStandardLibrary(const std::string& file, const std::vector<std::string>& parts) {
  // Code that the interpreter and torch's compilers make.
  if (absl::StartsWith(file, "<frozen") || absl::StartsWith(file, "<eval_with_key>") ||
      absl::StrContains(file, "/torchinductor_"))
    return true;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const bool versioned =
        absl::StartsWith(parts[i], "python3") || absl::StartsWith(parts[i], "pypy3");
    const bool library = i > 0 && absl::StartsWith(parts[i - 1], "lib");
    if (!versioned || !(library || absl::EndsWith(parts[i], ".zip"))) continue;
    return std::none_of(parts.begin() + static_cast<long>(i), parts.end(), IsPackageFolder);
  }
  return false;
}

// Native frames without a source line are known by their module: ours, those of the communication
// libraries, the system's.
bool IsLibraryModule(const std::vector<std::string>& parts) {
  static constexpr std::array<const char*, 12> kNames = {
      "librollcall", "libgloo.", "libtorch",   "libc10",    "libnccl",    "libcuda",
      "libc.so",     "libc-",    "libstdc++.", "libgcc_s.", "libpthread", "ld-linux"};
  return !parts.empty() && absl::StrContains(parts.back(), ".so") &&
         std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* name) { return absl::StartsWith(parts.back(), name); });
}

}  // namespace

FrameOrigin OriginOf(const std::string& file, const std::string& user_code) {
  if (!user_code.empty() && fnmatch(user_code.c_str(), file.c_str(), 0) == 0)
    return FrameOrigin::kUser;
  const std::vector<std::string> parts = absl::StrSplit(file, '/', absl::SkipEmpty());
  if (IsStandardLibrary(file, parts) || IsLibraryModule(parts))
    return FrameOrigin::kStandardLibrary;
  const Framework* const framework = FrameworkOf(parts);
  if (framework == nullptr) return FrameOrigin::kUser;
  return framework->starter ? FrameOrigin::kStandardLibrary : FrameOrigin::kFramework;
}

std::vector<int> UserFrames(const Stack& stack, const std::string& user_code) {
  std::vector<int> user, framework;
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const std::string& file = stack.frames[i].file;
    if (file.empty()) continue;
    switch (OriginOf(file, user_code)) {
      case FrameOrigin::kUser:
        user.push_back(static_cast<int>(i));
        break;
      case FrameOrigin::kFramework:
        if (!absl::StartsWith(PathInFramework(file), "torch/"))
          framework.push_back(static_cast<int>(i));
        break;
      case FrameOrigin::kStandardLibrary:
        break;
    }
  }
  return user.empty() ? framework : user;
}

std::string KnownPath(const std::string& file) {
  constexpr char kKernel[] = "/ipykernel_";
  const std::size_t at = file.find(kKernel);
  if (at == std::string::npos) return file;
  const std::size_t end = file.find('/', at + 1);
  return end == std::string::npos ? file : absl::StrCat("ipykernel", file.substr(end));
}

std::string ShortPath(const std::string& file, const std::string& folder) {
  if (folder.empty() || folder == "/") return file;
  const std::string prefix = absl::EndsWith(folder, "/") ? folder : absl::StrCat(folder, "/");
  return absl::StartsWith(file, prefix) ? file.substr(prefix.size()) : file;
}

}  // namespace rollcall::analyzer
