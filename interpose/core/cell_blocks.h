// Cells: what a row has to say beyond its shape, claimed like rows. Their blocks have an eighth of
// the file and are then reused, oldest first.
#pragma once

#include <cstdint>

#include "interpose/core/claim_table.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::uint32_t kMaxCellBlocks = kMaxBlocks / 8 + 2;

struct CellBlocks {
  ClaimTable claims;
  std::uint32_t blocks[kMaxCellBlocks];  // oldest first, from `oldest` on
  std::uint32_t count;
  std::uint32_t oldest;
};

// Without the mutex, but when a block is wanting. In the file when it returns; a cell that finds no
// room is counted as a lost event.
void PutCell(Recorder& recorder, std::uint32_t kind, std::uint32_t extra, std::uint64_t row,
             std::uint64_t value) noexcept;
// Makes the block of the next sequence. With the mutex held.
void PrepareCellBlock(Recorder& recorder) noexcept;

}  // namespace rollcall::interpose
