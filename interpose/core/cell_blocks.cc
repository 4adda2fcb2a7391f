#include "interpose/core/cell_blocks.h"

#include <string.h>

#include "interpose/core/field_bytes.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kRows = kRollcallCellRows;

void FormatCellBlock(const TraceFile& file, std::uint32_t block, std::uint64_t sequence) noexcept {
  const std::uint64_t at = BlockAt(block);
  PutByte(file, at + 4, VarintTag(ROLLCALL_CellBlock_rows));
  PutByte(file, at + 5, 0x80 | (kRows & 0x7f));
  PutByte(file, at + 6, kRows >> 7);
  PutSequences(file, at, kRollcallBlockBytes, sequence);
  PutFiller(file, at + 16, kRollcallCellKindAt - 4 - 16);
  PutHead(file, at + kRollcallCellKindAt - 4, ROLLCALL_CellBlock_kind, 4 * kRows);
  PutHead(file, at + kRollcallCellExtraAt - 4, ROLLCALL_CellBlock_extra, 4 * kRows);
  PutHead(file, at + kRollcallCellRowAt - 4, ROLLCALL_CellBlock_row, 8 * kRows);
  constexpr std::uint32_t kRowEnd = kRollcallCellRowAt + 8 * kRows;
  PutFiller(file, at + kRowEnd, kRollcallCellValueAt - 4 - kRowEnd);
  PutHead(file, at + kRollcallCellValueAt - 4, ROLLCALL_CellBlock_value, 8 * kRows);
  constexpr std::uint32_t kValueEnd = kRollcallCellValueAt + 8 * kRows;
  PutFiller(file, at + kValueEnd, kRollcallSequenceCheckAt - 1 - kValueEnd);
  Publish(file, at + 4, kRollcallBlockBytes - 4);
  ShowHead(file, at, ROLLCALL_Trace_cells, kRollcallBlockBytes - 4);
}

bool AreAllStored(const TraceFile& file, std::uint32_t block) noexcept {
  for (std::uint32_t row = 0; row < kRows; ++row)
    if (Word32(file, BlockAt(block) + kRollcallCellKindAt + 4 * row)
            .load(std::memory_order_acquire) == 0)
      return false;
  return true;
}

void ReuseCellBlock(const TraceFile& file, std::uint32_t block, std::uint64_t sequence) noexcept {
  const std::uint64_t at = BlockAt(block);
  PatchRecord(file, at, kRollcallBlockBytes, sequence, [&] {
    memset(file.image + at + kRollcallCellKindAt, 0, 4 * kRows);
    memset(file.image + at + kRollcallCellExtraAt, 0, 4 * kRows);
    memset(file.image + at + kRollcallCellRowAt, 0, 8 * kRows);
    memset(file.image + at + kRollcallCellValueAt, 0, 8 * kRows);
  });
}

std::uint32_t FindCellBlock(Recorder& recorder, std::uint64_t sequence) noexcept {
  const SlowSection section(recorder.mutex);
  CellBlocks& cells = recorder.cells;
  while (cells.claims.prepared < sequence)
    PrepareCellBlock(recorder);
  std::uint32_t block = kNoBlock;
  return FindClaim(cells.claims, sequence, &block) ? block : kNoBlock;
}

}  // namespace

void PrepareCellBlock(Recorder& recorder) noexcept {
  CellBlocks& cells = recorder.cells;
  const std::uint64_t sequence = cells.claims.prepared + 1;
  const std::uint64_t share = recorder.file.bound / 8 / kRollcallBlockBytes;
  const bool may_add = cells.count < 2 || (cells.count < share && cells.count < kMaxCellBlocks);
  std::uint32_t block = may_add ? TakeBlock(recorder) : kNoBlock;
  if (block != kNoBlock) {
    FormatCellBlock(recorder.file, block, sequence);
    cells.blocks[cells.count++] = block;
  } else if (cells.count && AreAllStored(recorder.file, cells.blocks[cells.oldest % cells.count])) {
    block = cells.blocks[cells.oldest++ % cells.count];
    ReuseCellBlock(recorder.file, block, sequence);
  }
  PutClaim(cells.claims, sequence, block);
}

void PutCell(Recorder& recorder, std::uint32_t kind, std::uint32_t extra, std::uint64_t row,
             std::uint64_t value) noexcept {
  const std::uint64_t number = recorder.cells.claims.next.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t sequence = number / kRows + 1;
  std::uint32_t block = kNoBlock;
  if (!FindClaim(recorder.cells.claims, sequence, &block))
    block = FindCellBlock(recorder, sequence);
  const TraceFile& file = recorder.file;
  if (block == kNoBlock) {
    __atomic_fetch_add(&State(file).lost_events, 1, __ATOMIC_RELAXED);
    return;
  }
  const std::uint64_t at = BlockAt(block), cell = number % kRows;
  Word64(file, at + kRollcallCellRowAt + 8 * cell).store(row, std::memory_order_relaxed);
  Publish(file, at + kRollcallCellRowAt + 8 * cell, 8);
  Word64(file, at + kRollcallCellValueAt + 8 * cell).store(value, std::memory_order_relaxed);
  Publish(file, at + kRollcallCellValueAt + 8 * cell, 8);
  Word32(file, at + kRollcallCellExtraAt + 4 * cell).store(extra, std::memory_order_relaxed);
  Publish(file, at + kRollcallCellExtraAt + 4 * cell, 4);
  Word32(file, at + kRollcallCellKindAt + 4 * cell).store(kind, std::memory_order_release);
  Publish(file, at + kRollcallCellKindAt + 4 * cell, 4);
}

}  // namespace rollcall::interpose
