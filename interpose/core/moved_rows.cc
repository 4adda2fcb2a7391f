#include "interpose/core/moved_rows.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/events.h"
#include "interpose/core/recorder_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

int Membarrier(int command) noexcept {
  return static_cast<int>(syscall(SYS_membarrier, command, 0, 0));
}

bool IsAnybodyAt(const MovedRows& moved, std::uint32_t block) noexcept {
  std::uint32_t slots = moved.slots_taken.load(std::memory_order_acquire);
  if (slots > kStampSlots) slots = kStampSlots;
  for (std::uint32_t i = 0; i < slots; ++i)
    if (moved.slots[i].block.load(std::memory_order_acquire) == block + 1) return true;
  return false;
}

std::uint64_t Nanoseconds(std::uint64_t base, std::uint32_t units) noexcept {
  return units ? base + (std::uint64_t{units - 1} << 10) : 0;
}

void WriteMovedRow(Recorder& recorder, const MovedRow& row) noexcept {
  const std::uint64_t data[] = {row.shape, row.entered_ns, row.started_ns};
  EventFields event;
  event.kind = ROLLCALL_EVENT_MOVED_ROW;
  event.row = row.number + 1;
  event.data = data;
  event.data_bytes = sizeof data;
  PutEvent(recorder, event);
}

}  // namespace

void RegisterBarrier(MovedRows& moved) noexcept {
  moved.has_barrier = Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

bool MoveOpenRows(Recorder& recorder, std::uint32_t block, std::uint64_t sequence) noexcept {
  MovedRows& moved = recorder.moved;
  if (!moved.has_barrier || Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 ||
      IsAnybodyAt(moved, block))
    return false;
  const TraceFile& file = recorder.file;
  const std::uint64_t at = BlockAt(block);
  const std::uint64_t base = Word64(file, at + kRollcallBaseAt).load(std::memory_order_relaxed);
  const auto cell = [&](std::uint32_t column, std::uint32_t row) -> std::uint32_t {
    return Word32(file, at + column + 4 * row).load(std::memory_order_acquire);
  };
  const std::uint32_t rows = recorder.calls.used[block].load(std::memory_order_relaxed);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (cell(kRollcallCompletedAt, row) != 0) continue;
    if (moved.count == kMovedRows)  // its events stay while they last
      memmove(moved.rows, moved.rows + 1, --moved.count * sizeof moved.rows[0]);
    MovedRow& entry = moved.rows[moved.count++];
    entry = {(sequence - 1) * kRollcallRows + row, cell(kRollcallShapeAt, row),
             Nanoseconds(base, cell(kRollcallEnteredAt, row)),
             Nanoseconds(base, cell(kRollcallStartedAt, row))};
    WriteMovedRow(recorder, entry);
  }
  return true;
}

void RepeatMovedRows(Recorder& recorder) noexcept {
  for (std::uint32_t i = 0; i < recorder.moved.count; ++i)
    WriteMovedRow(recorder, recorder.moved.rows[i]);
}

bool IsMovedRow(const Recorder& recorder, std::uint64_t number) noexcept {
  for (std::uint32_t i = 0; i < recorder.moved.count; ++i)
    if (recorder.moved.rows[i].number == number) return true;
  return false;
}

void ForgetMovedRow(Recorder& recorder, std::uint64_t number) noexcept {
  MovedRows& moved = recorder.moved;
  for (std::uint32_t i = 0; i < moved.count; ++i) {
    if (moved.rows[i].number != number) continue;
    memmove(moved.rows + i, moved.rows + i + 1, (--moved.count - i) * sizeof moved.rows[0]);
    return;
  }
}

}  // namespace rollcall::interpose
