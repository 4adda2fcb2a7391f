// Entering a call: shape, row, time, in this order of visibility: entered, cells, shape.
#include "interpose/core/recorder.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/clock.h"
#include "interpose/core/process_state.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/recorder_thread.h"
#include "interpose/core/slow_section.h"
#include "interpose/core/wire_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

constinit thread_local RecordingThread recording_thread{};

namespace {

[[gnu::noinline, gnu::cold]] std::uint32_t DefineThread(Recorder& recorder) noexcept {
  recording_thread = {&recorder, 0, 0};
  char name[17] = {};
  prctl(PR_GET_NAME, name, 0, 0, 0);
  std::uint8_t buffer[64];
  WireWriter message(buffer, sizeof buffer);
  const SlowSection section(recorder.mutex);
  const std::uint32_t id = recorder.counts.threads + 1;
  const std::size_t start = message.BeginMessage(ROLLCALL_Definition_thread);
  message.Number(ROLLCALL_Thread_id, id);
  message.Number(ROLLCALL_Thread_tid, static_cast<std::uint64_t>(syscall(SYS_gettid)));
  message.Text(ROLLCALL_Thread_name, name, strlen(name), 16);
  message.EndMessage(start);
  if (AppendDefinition(recorder, message.data(), message.size(), DefinitionBudget::kReduced)) {
    recorder.counts.threads = id;
    recording_thread.id = id;
  } else {
    __atomic_fetch_add(&State(recorder.file).lost_definitions, 1, __ATOMIC_RELAXED);
  }
  return recording_thread.id;
}

// The call is in no row. The fingerprints end before the next one.
[[gnu::noinline, gnu::cold]] Row LoseCall(Recorder& recorder, std::uint64_t row) noexcept {
  __atomic_fetch_add(&State(recorder.file).lost_rows, 1, __ATOMIC_RELAXED);
  std::atomic<std::uint64_t>& first = recorder.calls.first_lost_row;
  std::uint64_t there = first.load(std::memory_order_relaxed);
  while ((there == 0 || row + 1 < there) &&
         !first.compare_exchange_weak(there, row + 1, std::memory_order_acq_rel)) {
  }
  return {};
}

[[gnu::noinline, gnu::cold]] std::uint64_t SetBase(const TraceFile& file,
                                                   std::uint64_t at) noexcept {
  std::uint64_t old = 0;
  const std::uint64_t now = MonotonicNow();
  if (!Word64(file, at).compare_exchange_strong(old, now, std::memory_order_acq_rel)) return old;
  Publish(file, at, 8);
  return now;
}

// The block's times have come to their end: rows that were not claimed are given up, and this one.
[[gnu::noinline, gnu::cold]] void EndBlock(Recorder& recorder, const Row& row) noexcept {
  CallBlocks& calls = recorder.calls;
  std::uint64_t next = calls.claims.next.load(std::memory_order_relaxed);
  while (next / kRollcallRows + 1 == row.sequence && next % kRollcallRows != 0) {
    if (calls.claims.next.compare_exchange_weak(next, row.sequence * kRollcallRows,
                                                std::memory_order_relaxed)) {
      calls.used[row.block].store(next % kRollcallRows, std::memory_order_release);
      break;
    }
  }
  const std::uint64_t at = BlockAt(row.block);
  const std::uint64_t completed = at + kRollcallCompletedAt + 4 * std::uint64_t{row.row};
  const std::uint64_t entered = at + kRollcallEnteredAt + 4 * std::uint64_t{row.row};
  Word32(recorder.file, completed).store(ROLLCALL_NOT_WATCHED, std::memory_order_relaxed);
  Publish(recorder.file, completed, 4);
  Word32(recorder.file, entered).store(kAbandoned, std::memory_order_release);
  Publish(recorder.file, entered, 4);
}

// A row with its time stored. sequence 0: there was no room; *number is its number either way.
Row ClaimRow(Recorder& recorder, std::uint64_t* number) noexcept {
  const TraceFile& file = recorder.file;
  for (;;) {
    *number = recorder.calls.claims.next.fetch_add(1, std::memory_order_relaxed);
    Row row;
    row.sequence = *number / kRollcallRows + 1;
    row.row = static_cast<std::uint32_t>(*number % kRollcallRows);
    if (!FindClaim(recorder.calls.claims, row.sequence, &row.block)) [[unlikely]]
      row.block = FindCallBlock(recorder, row.sequence);
    if (row.block == kNoBlock) [[unlikely]]
      return {};
    const std::uint64_t at = BlockAt(row.block);
    std::uint64_t base = Word64(file, at + kRollcallBaseAt).load(std::memory_order_acquire);
    if (base == 0) [[unlikely]]
      base = SetBase(file, at + kRollcallBaseAt);
    // The clock is read after base is known, so it is not before base.
    const std::uint64_t units = ((MonotonicNow() - base) >> 10) + 1;
    if (units > recorder.calls.last_entered) [[unlikely]] {
      EndBlock(recorder, row);
      continue;
    }
    const std::uint64_t entered = at + kRollcallEnteredAt + 4 * std::uint64_t{row.row};
    Word32(file, entered).store(static_cast<std::uint32_t>(units), std::memory_order_relaxed);
    Publish(file, entered, 4);
    return row;
  }
}

// The lane of a row whose peer its shape does not say must be there before the row.
void EnsureLane(Recorder& recorder, const CallArguments& call) noexcept {
  std::uint32_t kind = 0;
  std::int32_t peer = 0;
  if (!LaneOf(call, &kind, &peer) || recorder.lanes.is_full ||
      FindLane(recorder.lanes, call.communicator, kind, peer))
    return;
  const SlowSection section(recorder.mutex);
  DefineLane(recorder, call.communicator, kind, peer);
}

}  // namespace

std::uint32_t CurrentThread(Recorder& recorder) noexcept {
  if (recording_thread.recorder == &recorder && recording_thread.id) [[likely]]
    return recording_thread.id;
  return DefineThread(recorder);
}

Row EnterCall(const CallArguments& call, std::uint64_t position,
              std::uint32_t tags_taken) noexcept {
  Recorder* const recorder = CurrentRecorder();
  if (!recorder) return {};
  const std::uint32_t thread = CurrentThread(*recorder);
  const ShapeRecord* const shape = FindShape(*recorder, call, thread);
  if (!shape) [[unlikely]]
    return LoseCall(*recorder, recorder->calls.claims.next.load(std::memory_order_relaxed));
  if (shape->variable & ROLLCALL_VARIABLE_PEER) [[unlikely]]
    EnsureLane(*recorder, call);
  std::uint64_t number = 0;
  const Row row = ClaimRow(*recorder, &number);
  if (row.sequence == 0) [[unlikely]]
    return LoseCall(*recorder, number);
  if (position != kNoPosition && call.communicator &&
      call.communicator <= recorder->communicators.count &&
      NeedsPosition(*recorder->communicators.by_id[call.communicator], thread, row.sequence,
                    position, tags_taken)) [[unlikely]]
    PutCell(*recorder, ROLLCALL_CELL_POSITION, tags_taken, number, position);
  if (shape->variable) [[unlikely]]
    PutVariableCells(*recorder, *shape, call, number);
  const std::uint64_t at = BlockAt(row.block) + kRollcallShapeAt + 4 * std::uint64_t{row.row};
  Word32(recorder->file, at).store(shape->id, std::memory_order_release);
  Publish(recorder->file, at, 4);
  return {row.sequence, row.block, row.row | recorder->generation << kGenerationShift};
}

}  // namespace rollcall::interpose
