// What happens to a row after it was entered. Ordering: a row is handed on only after the stamp of
// who hands it on; `completed` is the last access of its owner.
#include "interpose/core/clock.h"
#include "interpose/core/events.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/recorder_thread.h"
#include "interpose/core/slow_section.h"
#include "interpose/core/valid_text.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

std::uint64_t NumberOf(const Row& row) noexcept {
  return (row.sequence - 1) * kRollcallRows + row.row;
}

// A row as hooks hold it; its sequence is 0 when it is not of this trace: lost, or of the process
// that forked this one.
Row Ours(const Recorder& recorder, const Row& given) noexcept {
  if (given.row >> kGenerationShift != recorder.generation) return {};
  return {given.sequence, given.block, given.row & ((1u << kGenerationShift) - 1)};
}

// While it lives the block of a row is not taken from under it. See moved_rows.h.
class BlockAccess {
 public:
  BlockAccess(Recorder& recorder, std::uint32_t block, bool is_owner) noexcept
      : recorder_(recorder), block_(block), slot_(is_owner ? FindSlot(recorder) : nullptr) {
    if (slot_) {
      slot_->block.store(block + 1, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      recorder.calls.pins[block].fetch_add(1, std::memory_order_seq_cst);
    }
  }
  ~BlockAccess() noexcept {
    if (slot_)
      slot_->block.store(0, std::memory_order_release);
    else
      recorder_.calls.pins[block_].fetch_sub(1, std::memory_order_release);
  }
  BlockAccess(const BlockAccess&) = delete;
  BlockAccess& operator=(const BlockAccess&) = delete;

  bool Holds(const Row& row) const noexcept {
    return recorder_.calls.sequence_of[block_].load(std::memory_order_seq_cst) == row.sequence;
  }

 private:
  static StampSlot* FindSlot(Recorder& recorder) noexcept {
    MovedRows& moved = recorder.moved;
    if (!moved.has_barrier) return nullptr;
    if (recording_thread.recorder != &recorder) recording_thread = {&recorder, 0, 0};
    if (recording_thread.stamp_slot == 0)
      recording_thread.stamp_slot = moved.slots_taken.fetch_add(1, std::memory_order_acq_rel) + 1;
    return recording_thread.stamp_slot <= kStampSlots
               ? &moved.slots[recording_thread.stamp_slot - 1]
               : nullptr;
  }

  Recorder& recorder_;
  const std::uint32_t block_;
  StampSlot* const slot_;
};

std::uint64_t UnitsSince(const TraceFile& file, std::uint32_t block, std::uint64_t now) noexcept {
  const std::uint64_t base =
      Word64(file, BlockAt(block) + kRollcallBaseAt).load(std::memory_order_acquire);
  return ((now - base) >> 10) + 1;
}

void Store(const TraceFile& file, const Row& row, std::uint32_t column,
           std::uint32_t value) noexcept {
  const std::uint64_t at = BlockAt(row.block) + column + 4 * std::uint64_t{row.row};
  Word32(file, at).store(value, std::memory_order_release);
  Publish(file, at, 4);
}

void PutRowEvent(Recorder& recorder, const Row& row, std::uint32_t kind,
                 std::int64_t value) noexcept {
  EventFields event;
  event.kind = kind;
  event.row = NumberOf(row) + 1;
  event.value = value;
  PutEvent(recorder, event);
}

// A time that no unit can say, or of a row that was moved.
[[gnu::noinline, gnu::cold]] void StampLate(Recorder& recorder, const Row& row,
                                            std::uint32_t column, std::uint64_t now) noexcept {
  const SlowSection section(recorder.mutex);
  const bool is_end = column == kRollcallCompletedAt;
  PutRowEvent(recorder, row, is_end ? ROLLCALL_EVENT_LATE_COMPLETED : ROLLCALL_EVENT_LATE_STARTED,
              static_cast<std::int64_t>(now));
  // Under the mutex nobody moves rows.
  const bool is_there =
      recorder.calls.sequence_of[row.block].load(std::memory_order_relaxed) == row.sequence;
  if (is_end && is_there)
    Store(recorder.file, row, column, ROLLCALL_ENDED_SEE_EVENT);
  else if (is_end)
    ForgetMovedRow(recorder, NumberOf(row));
}

// By the owner.
void StampNow(const Row& given, std::uint32_t column) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const Row row = Ours(*recorder, given);
  if (row.sequence == 0) return;
  {
    const BlockAccess access(*recorder, row.block, true);
    if (access.Holds(row)) [[likely]] {
      const std::uint64_t units = UnitsSince(recorder->file, row.block, MonotonicNow());
      if (units < ROLLCALL_NOT_WATCHED) [[likely]] {
        Store(recorder->file, row, column, static_cast<std::uint32_t>(units));
        return;
      }
    }
  }
  StampLate(*recorder, row, column, MonotonicNow());
}

// By the owner, with the mutex held: nobody moves rows meanwhile.
void EndRow(Recorder& recorder, const Row& row, std::uint32_t value) noexcept {
  if (recorder.calls.sequence_of[row.block].load(std::memory_order_relaxed) == row.sequence)
    Store(recorder.file, row, kRollcallCompletedAt, value);
  else
    ForgetMovedRow(recorder, NumberOf(row));
}

}  // namespace

void StartCall(const Row& row) noexcept {
  StampNow(row, kRollcallStartedAt);
}
void CompleteCall(const Row& row) noexcept {
  StampNow(row, kRollcallCompletedAt);
}

void FailCall(const Row& given, std::int64_t code, const char* text,
              std::size_t text_bytes) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const Row row = Ours(*recorder, given);
  if (row.sequence == 0) return;
  constexpr std::size_t kMostText = 256;
  std::uint8_t valid[kMostText];
  EventFields event;
  event.kind = ROLLCALL_EVENT_FAILED;
  event.row = NumberOf(row) + 1;
  event.value = code;
  event.data = valid;
  event.data_bytes = text ? CopyValidText(valid, sizeof valid, text, text_bytes) : 0;
  const SlowSection section(recorder->mutex);
  PutEvent(*recorder, event);
  EndRow(*recorder, row, ROLLCALL_ENDED_SEE_EVENT);
}

void UnwatchCall(const Row& given) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const Row row = Ours(*recorder, given);
  if (row.sequence == 0) return;
  {
    const BlockAccess access(*recorder, row.block, true);
    if (access.Holds(row)) [[likely]] {
      Store(recorder->file, row, kRollcallCompletedAt, ROLLCALL_NOT_WATCHED);
      return;
    }
  }
  const SlowSection section(recorder->mutex);
  EndRow(*recorder, row, ROLLCALL_NOT_WATCHED);
}

void EndCallFromOutside(const Row& given, std::uint32_t event_kind) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  const Row row = Ours(*recorder, given);
  if (row.sequence == 0) return;
  bool ended = false;
  {
    const BlockAccess access(*recorder, row.block, false);
    if (access.Holds(row)) {
      const std::uint64_t at =
          BlockAt(row.block) + kRollcallCompletedAt + 4 * std::uint64_t{row.row};
      std::uint32_t pending = 0;
      if (!Word32(recorder->file, at)
               .compare_exchange_strong(pending, ROLLCALL_ENDED_SEE_EVENT,
                                        std::memory_order_acq_rel))
        return;  // it had ended by itself
      Publish(recorder->file, at, 4);
      ended = true;
    }
  }
  const SlowSection section(recorder->mutex);
  if (!ended && !IsMovedRow(*recorder, NumberOf(row))) return;
  PutRowEvent(*recorder, row, event_kind, 0);
  if (!ended) ForgetMovedRow(*recorder, NumberOf(row));
}

void WriteEvent(const EventArguments& arguments) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return;
  EventFields event;
  event.kind = arguments.kind;
  const Row row = Ours(*recorder, arguments.row);
  event.row = row.sequence ? NumberOf(row) + 1 : 0;
  event.value = arguments.value;
  event.data = arguments.data;
  event.data_bytes = arguments.data_bytes;
  event.tid = arguments.tid;
  event.python_stack = arguments.python_stack;
  event.native_stack = arguments.native_stack;
  const SlowSection section(recorder->mutex);
  PutEvent(*recorder, event);
}

}  // namespace rollcall::interpose
