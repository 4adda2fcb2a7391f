#include "interpose/core/life/snapshot_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "interpose/core/life/directory_entries.h"
#include "proto/raw_layout.h"

namespace rollcall::interpose {
namespace {

constexpr char kSuffix[] = ".rollcall";
constexpr int kMostFiles = 4096;

bool IsTraceName(const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  const std::size_t suffix = sizeof(kSuffix) - 1;
  return length > suffix && std::strcmp(name + length - suffix, kSuffix) == 0;
}

// Opens a trace of this user for reading and writing and reads its state; -1 when it is not one.
int OpenState(int directory, const char* name, RollcallState* state) noexcept {
  const int file = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status = {};
  const bool ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == geteuid() && status.st_size >= kRollcallHeaderBytes;
  if (ours && pread(file, state, sizeof(*state), kRollcallStateAt) == sizeof(*state) &&
      state->magic == ROLLCALL_STATE_MAGIC) {
    return file;
  }
  close(file);
  return -1;
}

void WriteWord(int file, std::size_t offset, std::uint32_t value) noexcept {
  // One aligned word: seen whole or not at all.
  const ssize_t written [[maybe_unused]] =
      pwrite(file, &value, sizeof(value), static_cast<off_t>(kRollcallStateAt + offset));
}

// As far as its page tells: one that is not a shared mapping has no mutex that the kernel could
// mark.
bool Lives(const RollcallState& state) noexcept {
  std::uint32_t owner;
  std::memcpy(&owner, state.mutex, sizeof(owner));
  return state.phase == kRollcallPhaseRunning && (owner & ROLLCALL_OWNER_DIED) == 0 &&
         (owner != 0 || state.end_kind == kRollcallEndNone);
}

// Bytes of "<host>.<pid>.<starttime>." at the start of this process's trace name, 0 if it has
// another form. A later part, the number of an exec, is not among them. The host may hold dots and
// digits: the last ".<pid>.<digits>." counts.
std::size_t ProcessPartOf(const char* name) noexcept {
  char pid_part[32];
  const int pid_length =
      std::snprintf(pid_part, sizeof(pid_part), ".%d.", static_cast<int>(getpid()));
  std::size_t part = 0;
  for (const char* at = std::strstr(name, pid_part); at != nullptr;
       at = std::strstr(at + 1, pid_part)) {
    const char* const start_time = at + pid_length;
    const std::size_t digits = std::strspn(start_time, "0123456789");
    if (digits > 0 && start_time[digits] == '.') {
      part = static_cast<std::size_t>(start_time - name) + digits + 1;
    }
  }
  return part;
}

}  // namespace

void RequestSnapshotsOfOthers(const char* folder, const char* own_file) noexcept {
  int visited = 0;
  ForEachDirectoryEntry(folder, [&](int directory, const char* name) noexcept {
    if (!IsTraceName(name) || std::strcmp(name, own_file) == 0) return true;
    RollcallState state;
    const int file = OpenState(directory, name, &state);
    if (file >= 0) {
      const bool asked_already = state.snapshot_request != state.snapshot_done;
      if (Lives(state) && !asked_already) {
        WriteWord(file, offsetof(RollcallState, snapshot_request), state.snapshot_request + 1);
      }
      close(file);
    }
    return ++visited < kMostFiles;
  });
}

std::uint32_t ReadSnapshotRequest(const char* folder, const char* own_file) noexcept {
  const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 0;
  RollcallState state;
  const int file = OpenState(directory, own_file, &state);
  close(directory);
  if (file < 0) return 0;
  close(file);
  return state.snapshot_request;
}

void MarkTracesBeforeExec(const char* folder, const char* own_file) noexcept {
  const std::size_t part = ProcessPartOf(own_file);
  if (part == 0) return;
  ForEachDirectoryEntry(folder, [&](int directory, const char* name) noexcept {
    if (std::strncmp(name, own_file, part) != 0 || !IsTraceName(name)) return true;
    if (std::strcmp(name, own_file) == 0) return true;
    RollcallState state;
    const int file = OpenState(directory, name, &state);
    if (file >= 0) {
      if (state.end_kind == kRollcallEndNone) {
        WriteWord(file, offsetof(RollcallState, end_kind), kRollcallEndExec);
      }
      close(file);
    }
    return true;
  });
}

}  // namespace rollcall::interpose
