#include "interpose/core/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose/core/field_bytes.h"
#include "interpose/core/header_page.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kMaxStep = 128 << 10;
constexpr std::uint64_t kMinBlocks = 7;
// Out of the way of guests that count on low numbers.
constexpr int kLowestDescriptor = 400;

bool IsOurs(const TraceFile& file, int descriptor) noexcept {
  struct stat info;
  return descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_dev == file.device &&
         info.st_ino == file.inode;
}

int OpenHigh(const char* path, int flags) noexcept {
  const int low = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (low < 0) return low;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kLowestDescriptor);
  if (high < 0) return low;
  close(low);
  return high;
}

bool PutPath(const TraceFile& file, char* path, std::size_t capacity) noexcept {
  const int bytes = snprintf(path, capacity, "%s/%s", file.folder, file.name);
  return bytes > 0 && static_cast<std::size_t>(bytes) < capacity;
}

// Guests close all descriptors they did not open, and then the number may be another file's: never
// write to it unseen.
bool HasDescriptor(TraceFile& file) noexcept {
  if (IsOurs(file, file.descriptor)) return true;
  char path[sizeof file.folder + sizeof file.name];
  file.descriptor = PutPath(file, path, sizeof path) ? OpenHigh(path, O_RDWR) : -1;
  if (IsOurs(file, file.descriptor)) return true;
  if (file.descriptor >= 0) close(file.descriptor);
  file.descriptor = -1;
  return false;
}

ssize_t WriteAt(int descriptor, const void* from, std::size_t bytes, std::uint64_t at) noexcept {
  ssize_t written;
  do
    written = pwrite(descriptor, from, bytes, static_cast<off_t>(at));
  while (written < 0 && errno == EINTR);
  return written;
}

// Beyond this limit the kernel sends SIGXFSZ to the guest.
std::uint64_t SizeLimit() noexcept {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

// Writes pads of one page each from `size` up to `target`, by one system call: a guest may close
// the descriptor and open a file of its own under that number at any time, so it is looked at just
// before, and just after. Returns 0 or an errno; EBADF = it was not ours.
int WritePads(TraceFile& file, std::uint64_t target) noexcept {
  alignas(16) std::uint8_t page[kPageBytes] = {};
  const std::uint32_t head = Head(kPadField, kPageBytes - 4);
  memcpy(page, &head, sizeof head);
  iovec pieces[kMaxStep / kPageBytes];  // a step is never longer
  const std::uint64_t pages = (target - file.size) / kPageBytes;
  for (std::uint64_t i = 0; i < pages; ++i)
    pieces[i] = {page, kPageBytes};
  if (!HasDescriptor(file)) return EBADF;
  ssize_t written;
  do
    written =
        pwritev(file.descriptor, pieces, static_cast<int>(pages), static_cast<off_t>(file.size));
  while (written < 0 && errno == EINTR);
  const int error = written < 0 ? errno : 0;
  if (!IsOurs(file, file.descriptor)) return EBADF;
  if (error) return error;
  const std::uint64_t whole = static_cast<std::uint64_t>(written) / kPageBytes * kPageBytes;
  if (file.written)
    for (std::uint64_t at = 0; at < whole; at += kPageBytes)
      memcpy(file.image + file.size + at, page, sizeof head);
  file.size += whole;
  if (whole == static_cast<std::uint64_t>(written)) return file.size == target ? 0 : ENOSPC;
  return ftruncate(file.descriptor, static_cast<off_t>(file.size)) == 0 ? ENOSPC : errno;
}

// Adds pages up to `target`. Returns 0 or an errno; `size` tells how far it came.
int AddPages(TraceFile& file, std::uint64_t target) noexcept {
  if (SizeLimit() < target) return EFBIG;
  int error = EBADF;
  for (int attempt = 0; error == EBADF && attempt < 3; ++attempt) {
    if (!HasDescriptor(file)) return EBADF;
    // Space first, without changing the size: so a full disk is an error here, and never half a
    // page.
    if (fallocate(file.descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(file.size),
                  static_cast<off_t>(target - file.size)) != 0 &&
        errno != EOPNOTSUPP && errno != EBADF)
      return errno;
    error = WritePads(file, target);
  }
  return error;
}

}  // namespace

void WriteThrough(const TraceFile& file, std::uint64_t at, std::size_t bytes) noexcept {
  const int saved = errno;
  if (IsOurs(file, file.descriptor)) WriteAt(file.descriptor, file.image + at, bytes, at);
  errno = saved;
}

bool GrowTraceFile(TraceFile& file) noexcept {
  if (file.full) return false;
  const std::uint64_t wanted = file.size + file.step;
  const std::uint64_t target = wanted < file.bound ? wanted : file.bound;
  if (target < file.size + kRollcallBlockBytes) {
    file.full = true;
    return false;
  }
  const int error = AddPages(file, target);
  // One pad per block from here on. What is inside changes only when the block is taken, which is
  // later: a reader that copies may still hold the heads of the single pages.
  for (; BlockAt(file.blocks_there + 1) <= file.size; ++file.blocks_there)
    ShowHead(file, BlockAt(file.blocks_there), kPadField, kRollcallBlockBytes - 4);
  RollcallState& state = State(file);
  if (error) {
    __atomic_store_n(&state.error, static_cast<std::uint32_t>(error), __ATOMIC_RELAXED);
    file.bound = file.size;
    file.full = true;
  }
  __atomic_store_n(&state.file_kib, static_cast<std::uint32_t>(file.size >> 10), __ATOMIC_RELAXED);
  return error == 0;
}

std::uint32_t NewBlock(TraceFile& file) noexcept {
  while (file.blocks_taken == file.blocks_there)
    if (!GrowTraceFile(file) && file.blocks_taken == file.blocks_there) return kNoBlock;
  // The heads of its single pages, which lie inside the pad now.
  const std::uint64_t at = BlockAt(file.blocks_taken);
  for (std::uint64_t page = kPageBytes; page < kRollcallBlockBytes; page += kPageBytes) {
    Word32(file, at + page).store(0, std::memory_order_relaxed);
    Publish(file, at + page, 4);
  }
  return file.blocks_taken++;
}

int CreateTraceFile(TraceFile& file) noexcept {
  const std::uint64_t most = BlockAt(kMaxBlocks - 1);
  if (file.bound > most) file.bound = most;
  if (file.bound > SizeLimit()) file.bound = SizeLimit();
  file.bound -= file.bound % kPageBytes;
  if (file.bound < BlockAt(kMinBlocks)) return EFBIG;
  const std::uint64_t sixteenth = file.bound / 16 / kRollcallBlockBytes * kRollcallBlockBytes;
  file.step = sixteenth >= kMaxStep ? kMaxStep : sixteenth + kRollcallBlockBytes;

  char path[sizeof file.folder + sizeof file.name];
  if (!PutPath(file, path, sizeof path)) return ENAMETOOLONG;
  file.descriptor = OpenHigh(path, O_RDWR | O_CREAT | O_EXCL);
  if (file.descriptor < 0) return errno;
  alignas(8) std::uint8_t page[kRollcallHeaderBytes] = {};
  PutHeaderPage(page);
  struct stat info;
  int error = 0;
  if (fstat(file.descriptor, &info) != 0) {
    error = errno;
  } else {
    file.device = info.st_dev;
    file.inode = info.st_ino;
    const ssize_t written = WriteAt(file.descriptor, page, sizeof page, 0);
    if (written != static_cast<ssize_t>(sizeof page)) error = written < 0 ? errno : ENOSPC;
  }
  void* image = MAP_FAILED;
  if (error == 0) {
    image = file.written
                ? mmap(nullptr, file.bound, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                : mmap(nullptr, file.bound, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
    if (image == MAP_FAILED) error = errno;
  }
  if (error) {
    close(file.descriptor);
    unlink(path);
    return error;
  }
  file.image = static_cast<std::uint8_t*>(image);
  file.image_bytes = file.bound;
  if (file.written) memcpy(file.image, page, sizeof page);
  file.size = kRollcallHeaderBytes;
  return 0;
}

void DiscardTraceFile(TraceFile& file) noexcept {
  char path[sizeof file.folder + sizeof file.name];
  if (IsOurs(file, file.descriptor)) close(file.descriptor);
  if (PutPath(file, path, sizeof path)) unlink(path);
  munmap(file.image, file.image_bytes);
  file.image = nullptr;
}

}  // namespace rollcall::interpose
