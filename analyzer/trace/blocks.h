// The parts of a trace as protozero finds them in one block of the grid (4096 + i * 16384). A block
// is judged on its own: damage stays in it. Everything here works on a private copy of the bytes,
// never on a file that is being written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/raw_layout.h"
#include "trace.pb.h"

namespace rollcall::analyzer {

// Numbers beyond these are damage; they keep sums of them far from overflow.
constexpr std::uint64_t kGreatestSequence = std::uint64_t{1} << 40;
constexpr std::uint64_t kGreatestTime = std::uint64_t{1} << 61;

// A CallBlock; the columns point into the bytes that were parsed.
struct CallColumns {
  std::uint64_t sequence = 0, base = 0;
  std::uint32_t rows = 0;
  const char* shape = nullptr;
  const char* entered = nullptr;
  const char* started = nullptr;
  const char* completed = nullptr;

  static std::uint32_t At(const char* column, std::uint32_t row) {
    std::uint32_t value;
    std::memcpy(&value, column + std::size_t{4} * row, 4);
    return value;
  }
  // Ns of CLOCK_MONOTONIC of a time cell; 0 stays 0.
  std::int64_t Time(std::uint32_t units) const {
    return units == 0 ? 0 : static_cast<std::int64_t>(base + (std::uint64_t{units - 1} << 10));
  }
  std::int64_t RowNumber(std::uint32_t row) const {
    return static_cast<std::int64_t>((sequence - 1) * kRollcallRows + row);
  }
};

struct CellView {
  std::int64_t row = 0;
  std::uint32_t kind = 0, extra = 0;
  std::uint64_t value = 0;
};

struct CheckpointsView {
  std::uint64_t first = 0;
  std::uint32_t lane = 0, shift = 0;
  std::vector<std::uint64_t> hashes;  // 0 = not yet; else without the marking bit
};

struct ProgressView {
  std::uint64_t sequence = 0, count = 0, hash = 0, next_row = 0;
  std::uint32_t lane = 0;
  bool ended = false;  // the fingerprint ended at count because rows were lost
};

struct EventSegment {
  std::uint64_t sequence = 0;
  std::vector<Event> events;
};

struct BlockContents {
  std::vector<CallColumns> calls;
  std::vector<std::vector<CellView>> cells;  // one per CellBlock
  std::vector<Definition> definitions;
  std::vector<EventSegment> events;
  std::vector<CheckpointsView> checkpoints;
  std::vector<ProgressView> progress;
  int discarded = 0;  // parts that were being reused when they were copied
  int malformed = 0;  // packets within sound segments
  bool sound = true;  // false: the fields do not parse to the end of the block
};

// What a block is for, by its first tag: a field number of Trace; 0 = nothing that belongs at the
// start of a block.
int BlockField(absl::string_view bytes);
// Parses the top-level fields in `bytes` and adds what is whole to `contents`.
void ParseBlock(absl::string_view bytes, BlockContents& contents);
// The header from the first 4096 bytes of a file; false if it does not parse: fields before the
// damage are set.
bool ParseHeader(absl::string_view bytes, Header& header);

}  // namespace rollcall::analyzer
