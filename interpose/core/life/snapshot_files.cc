#include "interpose/core/life/snapshot_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "interpose/core/life/directory_entries.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"

namespace rollcall::interpose {
namespace {

bool IsOpenForWriting(int file) noexcept {
  const int flags = fcntl(file, F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) return false;
  return (flags & O_ACCMODE) != O_RDONLY;
}

bool IsTrace(const struct stat& status) noexcept {
  const Recorder* const recorder = CurrentRecorder();
  return recorder != nullptr && status.st_dev == recorder->file.device &&
         status.st_ino == recorder->file.inode;
}

}  // namespace

void ForEachFileOpenForWriting(int most,
                               void (*visit)(const char* path, std::size_t bytes)) noexcept {
  int found = 0;
  ForEachDirectoryEntry("/proc/self/fd", [&](int directory, const char* name) noexcept {
    if (name[0] < '0' || name[0] > '9') return true;
    const int file = std::atoi(name);
    if (file <= STDERR_FILENO || file == directory || !IsOpenForWriting(file)) return true;
    struct stat status = {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0) return true;
    if (IsTrace(status)) return true;
    char path[4096];
    const ssize_t bytes = readlinkat(directory, name, path, sizeof(path));
    if (bytes > 0 && path[0] == '/') {
      visit(path, static_cast<std::size_t>(bytes));
      ++found;
    }
    return found < most;
  });
}

}  // namespace rollcall::interpose
