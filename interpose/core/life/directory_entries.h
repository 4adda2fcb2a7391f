// The names in a directory, without malloc: the helper thread must not hold the guest's allocator
// when the guest forks.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rollcall::interpose {

// Calls visit(directory descriptor, name) for every entry until it returns false.
template <typename Visit>
void ForEachDirectoryEntry(const char* path, Visit visit) noexcept {
  const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  alignas(dirent64) char entries[4096];
  for (bool more = true; more;) {
    const long bytes = syscall(SYS_getdents64, directory, entries, sizeof(entries));
    if (bytes <= 0) break;
    for (long at = 0; more && at < bytes;) {
      const char* const entry = entries + at;
      std::uint16_t length;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof(length));
      more = visit(directory, entry + offsetof(dirent64, d_name));
      at += length;
    }
  }
  close(directory);
}

}  // namespace rollcall::interpose
