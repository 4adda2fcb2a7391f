// The file of one trace: where its bytes are, and how it grows without ever being anything but
// valid protobuf. Everything but Word32, Word64 and Publish is called with the recorder's mutex
// held.
//
// The whole range up to the bound is mapped once and never unmapped. Touching it beyond `size`
// would be SIGBUS. The file grows page after page, each page a pad of its own (a tail of zeros
// parses in no parser), after the space was reserved without changing the size, so a full disk is
// an error code.
//
// Where a shared mapping is not safe, `image` is private memory, and Publish writes what changed
// with pwrite(2); with a shared mapping it does nothing.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "proto/raw_layout.h"

namespace rollcall::interpose {

constexpr std::uint32_t kNoBlock = 0xfffff;
constexpr std::uint32_t kMaxBlocks = 131072;  // 2,047 MiB: more is refused by libprotobuf

struct TraceFile {
  std::uint8_t* image;
  std::uint64_t image_bytes;
  std::uint64_t bound;  // bytes; becomes `size` when growth fails
  std::uint64_t size;
  std::uint64_t step;
  std::uint32_t blocks_taken;
  std::uint32_t blocks_there;  // those that are not taken are one pad each
  bool full;                   // it does not grow any more
  bool written;                // by pwrite, not through the mapping
  int descriptor;
  dev_t device;
  ino_t inode;
  char folder[3072];
  char name[512];
};

inline std::atomic<std::uint32_t>& Word32(const TraceFile& file, std::uint64_t at) noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(file.image + at);
}
inline std::atomic<std::uint64_t>& Word64(const TraceFile& file, std::uint64_t at) noexcept {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(file.image + at);
}

void WriteThrough(const TraceFile& file, std::uint64_t at, std::size_t bytes) noexcept;
inline void Publish(const TraceFile& file, std::uint64_t at, std::size_t bytes) noexcept {
  if (file.written) [[unlikely]]
    WriteThrough(file, at, bytes);
}

constexpr std::uint64_t BlockAt(std::uint32_t block) noexcept {
  return kRollcallHeaderBytes + std::uint64_t{block} * kRollcallBlockBytes;
}

inline RollcallState& State(const TraceFile& file) noexcept {
  return *reinterpret_cast<RollcallState*>(file.image + kRollcallStateAt);
}

// Creates the file with its header page. Returns 0 or an errno; then nothing is left behind.
// Reads folder and name from `file`, and bound; written = true asks for pwrite.
int CreateTraceFile(TraceFile& file) noexcept;
// Takes it back before anything was recorded.
void DiscardTraceFile(TraceFile& file) noexcept;
// A block that is one pad; kNoBlock when the bound is reached.
std::uint32_t NewBlock(TraceFile& file) noexcept;
// Adds a step. Returns false when there is none to add.
bool GrowTraceFile(TraceFile& file) noexcept;

}  // namespace rollcall::interpose
