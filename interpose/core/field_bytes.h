// The fixed parts of the file, byte by byte: heads (tag and length in one aligned word), fillers,
// and records between two sequence words. Layout: proto/raw_layout.h.
#pragma once

#include <string.h>

#include <atomic>
#include <cstdint>

#include "interpose/core/trace_file.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

constexpr std::uint32_t kPadField = ROLLCALL_Trace_pad;  // 15 in every message

// Tag and three-byte length as the four bytes they are in the file.
constexpr std::uint32_t Head(std::uint32_t field, std::uint32_t length) noexcept {
  return (field << 3 | 2) | (0x80 | (length & 0x7f)) << 8 | (0x80 | (length >> 7 & 0x7f)) << 16 |
         (length >> 14) << 24;
}
constexpr std::uint8_t VarintTag(std::uint32_t field) noexcept {
  return field << 3;
}
constexpr std::uint8_t Fixed64Tag(std::uint32_t field) noexcept {
  return field << 3 | 1;
}
constexpr std::uint8_t Fixed32Tag(std::uint32_t field) noexcept {
  return field << 3 | 5;
}

inline void PutHead(const TraceFile& file, std::uint64_t at, std::uint32_t field,
                    std::uint32_t length) noexcept {
  Word32(file, at).store(Head(field, length), std::memory_order_release);
}
// The same, in the file when it returns: makes visible what lies behind it.
inline void ShowHead(const TraceFile& file, std::uint64_t at, std::uint32_t field,
                     std::uint32_t length) noexcept {
  PutHead(file, at, field, length);
  Publish(file, at, 4);
}
inline void PutByte(const TraceFile& file, std::uint64_t at, std::uint32_t byte) noexcept {
  file.image[at] = static_cast<std::uint8_t>(byte);
}
// A pad of 2 to 129 bytes in all.
inline void PutFiller(const TraceFile& file, std::uint64_t at, std::uint32_t bytes) noexcept {
  PutByte(file, at, kPadField << 3 | 2);
  PutByte(file, at + 1, bytes - 2);
  memset(file.image + at + 2, 0, bytes - 2);
}
template <class T>
void PutRaw(const TraceFile& file, std::uint64_t at, T value) noexcept {
  memcpy(file.image + at, &value, sizeof value);
}

// The two sequence words of a block or record that is not visible yet.
inline void PutSequences(const TraceFile& file, std::uint64_t at, std::uint64_t bytes,
                         std::uint64_t sequence) noexcept {
  PutByte(file, at + kRollcallSequenceAt - 1, Fixed64Tag(1));
  PutRaw(file, at + kRollcallSequenceAt, sequence);
  PutByte(file, at + bytes - 9, Fixed64Tag(14));
  PutRaw(file, at + bytes - 8, sequence);
}

// Orders our stores for other processes, which thread sanitizers neither see nor support.
inline void FenceForReaders() noexcept {
#if defined(__SANITIZE_THREAD__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

// Patches a visible record: the sequence word behind it first, the one in front last, so that who
// reads from front to back sees a difference when he met the patch half done.
template <class Fill>
void PatchRecord(const TraceFile& file, std::uint64_t at, std::uint64_t bytes,
                 std::uint64_t sequence, Fill fill) noexcept {
  Word64(file, at + bytes - 8).store(sequence, std::memory_order_relaxed);
  Publish(file, at + bytes - 8, 8);
  FenceForReaders();
  fill();
  Publish(file, at + 16, bytes - 24);
  Word64(file, at + kRollcallSequenceAt).store(sequence, std::memory_order_release);
  Publish(file, at + kRollcallSequenceAt, 8);
}

}  // namespace rollcall::interpose
