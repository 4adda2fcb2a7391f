// Reads a file piece by piece, never behind the size it had when it was opened: traces grow while
// they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/statusor.h"

namespace rollcall::analyzer {

class FileReader {
 public:
  // Regular files only; the error says why the file cannot be read, without its path.
  static absl::StatusOr<FileReader> Open(const std::string& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  // Fixes the size; what is added to the file later, and what lies beyond `most`, is ignored. Until
  // then Read knows no bound but the file's end.
  absl::Status TakeSize(std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::int64_t size() const { return size_; }
  // Reads [offset, offset + bytes) as far as the file goes; returns the bytes read, less at the end
  // and after an error. Offsets that are multiples of 4096 and lengths that are multiples of 8 keep
  // aligned words of a live file whole.
  std::size_t Read(std::int64_t offset, char* into, std::size_t bytes) const;

 private:
  explicit FileReader(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace rollcall::analyzer
