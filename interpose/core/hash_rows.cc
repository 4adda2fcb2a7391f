// The fingerprint's way over the rows: by the helper, in the order of their numbers, so that it
// costs the calls nothing and is a function of the rows.
#include "interpose/core/call_blocks.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/shapes.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kCoverEvery = 16 * kRollcallRows;

void Cover(Recorder& recorder) noexcept {
  WriteProgress(recorder, recorder.calls.hashed_row);
  recorder.calls.covered_row = recorder.calls.hashed_row;
}

// Calls were lost before this row: no lane goes on behind them.
void CheckLoss(Recorder& recorder, std::uint64_t row) noexcept {
  std::atomic<std::uint64_t>& first = recorder.calls.first_lost_row;
  std::uint64_t lost = first.load(std::memory_order_acquire);
  if (lost == 0 || row + 1 < lost) return;
  first.compare_exchange_strong(lost, 0, std::memory_order_relaxed);
  EndLanes(recorder);
}

// Hashes the rows of one block. Returns false at a row that is claimed and not stored yet.
bool HashBlock(Recorder& recorder, std::uint32_t block, std::uint64_t end) noexcept {
  CallBlocks& calls = recorder.calls;
  const std::uint64_t at = BlockAt(block);
  auto row = static_cast<std::uint32_t>(calls.hashed_row % kRollcallRows);
  for (; row < kRollcallRows && calls.hashed_row < end; ++row, ++calls.hashed_row) {
    const std::uint32_t shape =
        Word32(recorder.file, at + kRollcallShapeAt + 4 * row).load(std::memory_order_acquire);
    if (shape == 0) {
      if (row >= calls.used[block].load(std::memory_order_acquire)) {
        // The block was ended early: nobody will claim the rest.
        calls.hashed_row += kRollcallRows - row;
        return true;
      }
      if (Word32(recorder.file, at + kRollcallEnteredAt + 4 * row)
              .load(std::memory_order_acquire) != kAbandoned)
        return false;
      continue;
    }
    CheckLoss(recorder, calls.hashed_row);
    const RowElement element = ElementOfRow(recorder, shape, calls.hashed_row);
    if (element.lost)
      EndLanes(recorder);
    else if (element.lane)
      AppendToLane(recorder, element.lane, element.value);
  }
  return true;
}

}  // namespace

void HashRows(Recorder& recorder) noexcept {
  CallBlocks& calls = recorder.calls;
  const std::uint64_t end = calls.claims.next.load(std::memory_order_acquire);
  while (calls.hashed_row < end) {
    const std::uint64_t sequence = calls.hashed_row / kRollcallRows + 1;
    if (sequence > calls.claims.prepared) break;
    std::uint32_t block = kNoBlock;
    FindClaim(calls.claims, sequence, &block);
    if (block == kNoBlock) {
      calls.hashed_row = sequence * kRollcallRows;
      EndLanes(recorder);
    } else if (!HashBlock(recorder, block, end)) {
      break;
    }
    if (calls.hashed_row - calls.covered_row >= kCoverEvery) Cover(recorder);
  }
  if (calls.hashed_row == end) CheckLoss(recorder, end);
  Cover(recorder);
}

}  // namespace rollcall::interpose
