#include "interpose/core/call_blocks.h"

#include <string.h>

#include <initializer_list>

#include "interpose/core/field_bytes.h"
#include "interpose/core/moved_rows.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kColumnBytes = 4 * kRollcallRows;

void FormatCallBlock(const TraceFile& file, std::uint32_t block, std::uint64_t sequence) noexcept {
  const std::uint64_t at = BlockAt(block);
  PutByte(file, at + 4, VarintTag(ROLLCALL_CallBlock_rows));
  PutByte(file, at + 5, 0x80 | (kRollcallRows & 0x7f));
  PutByte(file, at + 6, kRollcallRows >> 7);
  PutSequences(file, at, kRollcallBlockBytes, sequence);
  PutFiller(file, at + 16, 7);
  PutByte(file, at + kRollcallBaseAt - 1, Fixed64Tag(ROLLCALL_CallBlock_base));
  PutRaw(file, at + kRollcallBaseAt, std::uint64_t{0});
  PutHead(file, at + kRollcallShapeAt - 4, ROLLCALL_CallBlock_shape, kColumnBytes);
  PutHead(file, at + kRollcallEnteredAt - 4, ROLLCALL_CallBlock_entered, kColumnBytes);
  PutHead(file, at + kRollcallStartedAt - 4, ROLLCALL_CallBlock_started, kColumnBytes);
  PutHead(file, at + kRollcallCompletedAt - 4, ROLLCALL_CallBlock_completed, kColumnBytes);
  PutFiller(file, at + kRollcallCompletedAt + kColumnBytes, 7);
  Publish(file, at + 4, kRollcallBlockBytes - 4);
  ShowHead(file, at, ROLLCALL_Trace_calls, kRollcallBlockBytes - 4);  // visible from here
}

void ReuseCallBlock(const TraceFile& file, std::uint32_t block, std::uint64_t sequence) noexcept {
  const std::uint64_t at = BlockAt(block);
  PatchRecord(file, at, kRollcallBlockBytes, sequence, [&] {
    PutRaw(file, at + kRollcallBaseAt, std::uint64_t{0});
    for (const std::uint32_t column :
         {kRollcallShapeAt, kRollcallEnteredAt, kRollcallStartedAt, kRollcallCompletedAt})
      memset(file.image + at + column, 0, kColumnBytes);
  });
}

// Hides a block from stamps before its contents change. Returns false when somebody is at it.
bool HideCallBlock(Recorder& recorder, std::uint32_t block) noexcept {
  CallBlocks& calls = recorder.calls;
  calls.sequence_of[block].store(kReusing, std::memory_order_seq_cst);
  return calls.pins[block].load(std::memory_order_seq_cst) == 0;
}

std::uint32_t TakeWithOpenRows(Recorder& recorder, std::uint32_t most) noexcept {
  CallBlocks& calls = recorder.calls;
  for (std::uint32_t i = 0; i < calls.age_count; ++i) {
    const std::uint32_t block = calls.ages[i];
    const std::uint64_t sequence = calls.sequence_of[block].load(std::memory_order_relaxed);
    if (sequence * kRollcallRows > calls.covered_row) break;
    const std::uint32_t open = CountOpenRows(recorder, block);
    if (open > most) continue;
    if (!HideCallBlock(recorder, block) || (open && !MoveOpenRows(recorder, block, sequence))) {
      calls.sequence_of[block].store(sequence, std::memory_order_seq_cst);
      continue;
    }
    memmove(calls.ages + i, calls.ages + i + 1, (calls.age_count - i - 1) * sizeof calls.ages[0]);
    --calls.age_count;
    return block;
  }
  return kNoBlock;
}

}  // namespace

std::uint32_t CountOpenRows(const Recorder& recorder, std::uint32_t block) noexcept {
  const std::uint64_t column = BlockAt(block) + kRollcallCompletedAt;
  const std::uint32_t rows = recorder.calls.used[block].load(std::memory_order_acquire);
  std::uint32_t open = 0;
  for (std::uint32_t row = 0; row < rows; ++row)
    open += Word32(recorder.file, column + 4 * row).load(std::memory_order_acquire) == 0;
  return open;
}

bool HideCallBlock(Recorder& recorder, std::uint32_t block, std::uint64_t sequence) noexcept {
  CallBlocks& calls = recorder.calls;
  calls.sequence_of[block].store(kReusing, std::memory_order_seq_cst);
  if (calls.pins[block].load(std::memory_order_seq_cst) == 0) return true;
  calls.sequence_of[block].store(sequence, std::memory_order_seq_cst);
  return false;
}

std::uint32_t TakeOldestCallBlock(Recorder& recorder) noexcept {
  // Blocks with open rows are passed over while there are others.
  const std::uint32_t block = TakeWithOpenRows(recorder, 0);
  return block == kNoBlock ? TakeWithOpenRows(recorder, kMaxMovedFromBlock) : block;
}

std::uint32_t TakeBlock(Recorder& recorder) noexcept {
  CallBlocks& calls = recorder.calls;
  std::uint32_t block = NewBlock(recorder.file);
  if (block != kNoBlock) return block;
  // A call block turns into a pad now and is used the next time, so that a reader that copies and
  // has seen its old head is through before its structure changes.
  block = calls.spare;
  calls.spare = TakeOldestCallBlock(recorder);
  if (calls.spare != kNoBlock) {
    calls.sequence_of[calls.spare].store(0, std::memory_order_relaxed);
    ShowHead(recorder.file, BlockAt(calls.spare), kPadField, kRollcallBlockBytes - 4);
  }
  if (block == kNoBlock) {  // none was waiting: do without the delay
    block = calls.spare;
    calls.spare = kNoBlock;
  }
  return block;
}

bool PrepareCallBlock(Recorder& recorder) noexcept {
  CallBlocks& calls = recorder.calls;
  const std::uint64_t sequence = calls.claims.prepared + 1;
  // Elements of rows that their shapes do not say are kept for so many rows.
  if (calls.claims.next.load(std::memory_order_relaxed) - calls.hashed_row > kRowElements / 2)
    HashRows(recorder);
  std::uint32_t block = NewBlock(recorder.file);
  if (block != kNoBlock) {
    FormatCallBlock(recorder.file, block, sequence);
  } else {
    // Rows that are not hashed must be found in the table.
    if (sequence - calls.hashed_row / kRollcallRows >= kClaimEntries - 1) return false;
    HashRows(recorder);
    block = TakeOldestCallBlock(recorder);
    if (block != kNoBlock) {
      ReuseCallBlock(recorder.file, block, sequence);
      ++calls.reused;
    }
  }
  if (block != kNoBlock) {
    calls.used[block].store(kRollcallRows, std::memory_order_relaxed);
    calls.sequence_of[block].store(sequence, std::memory_order_seq_cst);
    calls.ages[calls.age_count++] = block;
  } else if (sequence > calls.claims.next.load(std::memory_order_relaxed) / kRollcallRows + 1) {
    return false;  // not needed yet: try again later
  }
  PutClaim(calls.claims, sequence, block);
  return true;
}

std::uint32_t FindCallBlock(Recorder& recorder, std::uint64_t sequence) noexcept {
  const SlowSection section(recorder.mutex);
  CallBlocks& calls = recorder.calls;
  while (calls.claims.prepared < sequence)
    if (!PrepareCallBlock(recorder)) break;
  std::uint32_t block = kNoBlock;
  if (FindClaim(calls.claims, sequence, &block)) return block;
  for (block = 0; block < recorder.file.blocks_taken; ++block)
    if (calls.sequence_of[block].load(std::memory_order_relaxed) == sequence) return block;
  return kNoBlock;
}

}  // namespace rollcall::interpose
