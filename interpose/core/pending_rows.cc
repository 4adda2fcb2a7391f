// Which call has been pending for longest, for the watch over hangs.
#include "interpose/core/life.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/slow_section.h"

namespace rollcall::interpose {
namespace {

// The block that holds a row now; kNoBlock = gone, so the row was closed or moved.
std::uint32_t BlockOf(const Recorder& recorder, std::uint64_t row) noexcept {
  const std::uint64_t sequence = row / kRollcallRows + 1;
  std::uint32_t block = recorder.pending_block;
  if (recorder.calls.sequence_of[block].load(std::memory_order_relaxed) == sequence) return block;
  return FindClaim(recorder.calls.claims, sequence, &block) && block != kNoBlock &&
                 recorder.calls.sequence_of[block].load(std::memory_order_relaxed) == sequence
             ? block
             : kNoBlock;
}

std::uint64_t EnteredNs(const TraceFile& file, std::uint32_t block, std::uint64_t row) noexcept {
  const std::uint64_t base =
      Word64(file, BlockAt(block) + kRollcallBaseAt).load(std::memory_order_acquire);
  const std::uint32_t units =
      Word32(file, BlockAt(block) + kRollcallEnteredAt + 4 * (row % kRollcallRows))
          .load(std::memory_order_acquire);
  return units && base ? base + (std::uint64_t{units - 1} << 10) : 0;
}

// Goes on from where it stopped, over rows that are closed, so that every row is looked at once.
// Returns whether it stopped at an open one.
bool FindOpenRow(Recorder& recorder) noexcept {
  const std::uint64_t end = recorder.calls.claims.next.load(std::memory_order_acquire);
  for (std::uint64_t& row = recorder.pending_row; row < end;) {
    const std::uint32_t block = BlockOf(recorder, row);
    if (block == kNoBlock ||
        row % kRollcallRows >= recorder.calls.used[block].load(std::memory_order_acquire)) {
      row = (row / kRollcallRows + 1) * kRollcallRows;
      continue;
    }
    recorder.pending_block = block;
    if (Word32(recorder.file, BlockAt(block) + kRollcallCompletedAt + 4 * (row % kRollcallRows))
            .load(std::memory_order_acquire) == 0)
      return true;
    ++row;
  }
  return false;
}

}  // namespace

std::uint64_t OldestPendingRow(std::uint64_t* entered_ns) noexcept {
  *entered_ns = 0;
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return 0;
  const SlowSection section(recorder->mutex);
  if (recorder->moved.count) {
    *entered_ns = recorder->moved.rows[0].entered_ns;
    return recorder->moved.rows[0].number + 1;
  }
  if (!FindOpenRow(*recorder)) return 0;
  *entered_ns = EnteredNs(recorder->file, recorder->pending_block, recorder->pending_row);
  return *entered_ns ? recorder->pending_row + 1 : 0;
}

std::uint64_t LastCallNs() noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return 0;
  const SlowSection section(recorder->mutex);
  std::uint64_t last = recorder->last_communicator_ns.load(std::memory_order_relaxed);
  if (last == 0) return 0;
  const std::uint64_t next = recorder->calls.claims.next.load(std::memory_order_acquire);
  if (next == 0) return last;
  const std::uint32_t block = BlockOf(*recorder, next - 1);
  const std::uint64_t entered = block == kNoBlock ? 0 : EnteredNs(recorder->file, block, next - 1);
  return entered > last ? entered : last;
}

RollcallState* StatePage() noexcept {
  Recorder* const recorder = CurrentRecorder();
  return recorder ? &State(recorder->file) : nullptr;
}

void PublishState(const void* word, std::size_t bytes) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const TraceFile& file = recorder->file;
  Publish(file, static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(word) - file.image),
          bytes);
}

const char* TraceFolder() noexcept {
  Recorder* const recorder = CurrentRecorder();
  return recorder ? recorder->file.folder : "";
}

const char* TraceFileName() noexcept {
  Recorder* const recorder = CurrentRecorder();
  return recorder ? recorder->file.name : "";
}

}  // namespace rollcall::interpose
