#include "analyzer/trace/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

absl::Status SystemError(const char* what, int error) {
  const std::string message = absl::StrCat(what, ": ", std::generic_category().message(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
}

}  // namespace

absl::StatusOr<FileReader> FileReader::Open(const std::string& path) {
  // O_NONBLOCK: opening a FIFO by mistake must not wait for its writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return SystemError("cannot open", errno);
  FileReader reader(descriptor);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return SystemError("cannot stat", errno);
  if (!S_ISREG(status.st_mode)) return absl::InvalidArgumentError("not a regular file");
  return reader;
}

FileReader::FileReader(FileReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status FileReader::TakeSize(std::int64_t most) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return SystemError("cannot stat", errno);
  size_ = std::min<std::int64_t>(status.st_size, most);
  return absl::OkStatus();
}

std::size_t FileReader::Read(std::int64_t offset, char* into, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(descriptor_, into + done, bytes - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace rollcall::analyzer
