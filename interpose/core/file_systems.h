// What kind of file system a folder is on.
#pragma once

namespace rollcall::interpose {

struct FileSystemTraits {
  bool maps_safely;  // a shared mapping can be written without SIGBUS or long waits
  bool in_memory;    // every byte of a trace is memory of the job
};

FileSystemTraits TraitsOfFolder(const char* folder) noexcept;

}  // namespace rollcall::interpose
