#include "interpose/core/lanes.h"

#include "interpose/core/field_bytes.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/segments.h"
#include "interpose/core/wire_writer.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint64_t kLaneBits = 16;
static_assert(kMaxLanes < 1u << kLaneBits);

// Peers beyond 2^29 have no lane of their own; there are none.
std::uint64_t LaneKey(std::uint32_t communicator, std::uint32_t kind, std::int32_t peer) noexcept {
  const std::uint64_t peer_bits = static_cast<std::uint32_t>(peer) & 0x3fffffffu;
  return std::uint64_t{communicator} << 48 | std::uint64_t{kind} << 46 | peer_bits << kLaneBits;
}

std::uint32_t FirstEntry(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(RollcallFingerprintMix(0, key)) % kLaneEntries;
}

void PutProgressRecord(const TraceFile& file, std::uint64_t at) noexcept {
  PutFiller(file, at + 4, 3);
  PutSequences(file, at, kRollcallProgressBytes, 0);
  PutByte(file, at + kRollcallProgressLaneAt - 1, Fixed32Tag(ROLLCALL_Progress_lane));
  PutByte(file, at + kRollcallProgressCountAt - 1, Fixed64Tag(ROLLCALL_Progress_count));
  PutByte(file, at + kRollcallProgressHashAt - 1, Fixed64Tag(ROLLCALL_Progress_hash));
  PutByte(file, at + kRollcallProgressNextRowAt - 1, Fixed64Tag(ROLLCALL_Progress_next_row));
  PutFiller(file, at + kRollcallProgressNextRowAt + 8, 7);
}

void PutCheckpointsRecord(const TraceFile& file, std::uint64_t at) noexcept {
  PutFiller(file, at + 4, 3);
  PutSequences(file, at, kRollcallCheckpointsBytes, 0);
  PutFiller(file, at + 16, 7);
  PutByte(file, at + kRollcallCheckpointsFirstAt - 1, Fixed64Tag(ROLLCALL_Checkpoints_first));
  PutFiller(file, at + 32, 3);
  PutByte(file, at + kRollcallCheckpointsLaneAt - 1, Fixed32Tag(ROLLCALL_Checkpoints_lane));
  PutFiller(file, at + 40, 3);
  PutByte(file, at + kRollcallCheckpointsShiftAt - 1, Fixed32Tag(ROLLCALL_Checkpoints_shift));
  PutFiller(file, at + 48, 4);
  PutHead(file, at + kRollcallCheckpointsHashAt - 4, ROLLCALL_Checkpoints_hash,
          8 * kRollcallCheckpointsEntries);
  PutFiller(file, at + kRollcallCheckpointsHashAt + 8 * kRollcallCheckpointsEntries, 7);
  PutHead(file, at, ROLLCALL_Trace_checkpoints, kRollcallCheckpointsBytes - 4);
}

// Two Progress records, given when the lane is defined: so covering its rows never needs room.
bool GiveProgress(Recorder& recorder, LaneState& lane) noexcept {
  Lanes& lanes = recorder.lanes;
  if (lanes.free_progress_count == 0 && !AddFingerprintBlock(recorder)) return false;
  lane.progress_at = lanes.free_progress_at;
  lanes.free_progress_at += 2 * kRollcallProgressBytes;
  lanes.free_progress_count -= 2;
  return true;
}

bool WriteLaneDefinition(Recorder& recorder, std::uint32_t id, std::uint32_t communicator,
                         std::uint32_t kind, std::int32_t peer) noexcept {
  std::uint8_t buffer[64];
  WireWriter message(buffer, sizeof buffer);
  const std::size_t start = message.BeginMessage(ROLLCALL_Definition_lane);
  message.Number(ROLLCALL_Lane_id, id);
  message.Number(ROLLCALL_Lane_communicator, communicator);
  message.Number(ROLLCALL_Lane_kind, kind);
  if (kind != ROLLCALL_LANE_COLLECTIVE) message.Signed(ROLLCALL_Lane_peer, peer);
  message.EndMessage(start);
  return AppendDefinition(recorder, message.data(), message.size(), DefinitionBudget::kReduced);
}

std::uint32_t RefuseLane(Recorder& recorder) noexcept {
  recorder.lanes.is_full.store(true, std::memory_order_relaxed);
  __atomic_fetch_add(&State(recorder.file).lost_definitions, 1, __ATOMIC_RELAXED);
  return 0;
}

}  // namespace

std::uint32_t FindLane(const Lanes& lanes, std::uint32_t communicator, std::uint32_t kind,
                       std::int32_t peer) noexcept {
  const std::uint64_t key = LaneKey(communicator, kind, peer);
  for (std::uint32_t i = FirstEntry(key);; i = (i + 1) % kLaneEntries) {
    const std::uint64_t entry = lanes.entries[i].load(std::memory_order_acquire);
    if (entry == 0) return 0;
    if (entry >> kLaneBits == key >> kLaneBits) return entry & ((1u << kLaneBits) - 1);
  }
}

std::uint32_t DefineLane(Recorder& recorder, std::uint32_t communicator, std::uint32_t kind,
                         std::int32_t peer) noexcept {
  Lanes& lanes = recorder.lanes;
  const std::uint32_t found = FindLane(lanes, communicator, kind, peer);
  if (found) return found;
  const std::uint32_t id = lanes.count + 1;
  LaneState& lane = lanes.lanes[id];
  if (id > kMaxLanes || !GiveProgress(recorder, lane)) return RefuseLane(recorder);
  if (!WriteLaneDefinition(recorder, id, communicator, kind, peer)) {
    lanes.free_progress_at -= 2 * kRollcallProgressBytes;
    lanes.free_progress_count += 2;
    return RefuseLane(recorder);
  }
  lanes.count = id;
  const std::uint64_t key = LaneKey(communicator, kind, peer);
  std::uint32_t i = FirstEntry(key);
  while (lanes.entries[i].load(std::memory_order_relaxed) != 0)
    i = (i + 1) % kLaneEntries;
  lanes.entries[i].store(key | id, std::memory_order_release);
  return id;
}

void WriteProgress(Recorder& recorder, std::uint64_t next_row) noexcept {
  Lanes& lanes = recorder.lanes;
  for (std::uint32_t id = 1; id <= lanes.count; ++id) {
    LaneState& lane = lanes.lanes[id];
    if (!lane.changed) continue;
    const std::uint64_t sequence = ++lane.progress_sequence;
    const std::uint64_t at = lane.progress_at + (sequence & 1) * kRollcallProgressBytes;
    PatchRecord(recorder.file, at, kRollcallProgressBytes, sequence, [&] {
      PutRaw(recorder.file, at + kRollcallProgressLaneAt, id);
      PutRaw(recorder.file, at + kRollcallProgressCountAt, lane.count);
      PutRaw(recorder.file, at + kRollcallProgressHashAt,
             lane.hash | (lane.ended ? ROLLCALL_HASH_BIT : 0));
      PutRaw(recorder.file, at + kRollcallProgressNextRowAt, next_row);
    });
    lane.changed = false;
  }
}

void EndLanes(Recorder& recorder) noexcept {
  for (std::uint32_t id = 1; id <= recorder.lanes.count; ++id) {
    LaneState& lane = recorder.lanes.lanes[id];
    lane.changed = lane.changed || !lane.ended;
    lane.ended = true;
  }
}

bool AddFingerprintBlock(Recorder& recorder) noexcept {
  Lanes& lanes = recorder.lanes;
  const TraceFile& file = recorder.file;
  constexpr std::uint32_t kFree = sizeof lanes.free_chunks / sizeof lanes.free_chunks[0];
  if (lanes.free_chunk_count + kRollcallCheckpointsPerBlock > kFree) return false;
  const std::uint32_t block = TakeBlock(recorder);
  if (block == kNoBlock) return false;
  const std::uint64_t begin = BlockAt(block), end = begin + kRollcallBlockBytes;
  std::uint64_t at = begin;
  for (std::uint32_t i = 0; i < kRollcallProgressPerBlock; ++i, at += kRollcallProgressBytes) {
    PutProgressRecord(file, at);
    if (i) PutHead(file, at, ROLLCALL_Trace_progress, kRollcallProgressBytes - 4);
  }
  for (std::uint32_t i = 0; i < kRollcallCheckpointsPerBlock; ++i) {
    PutCheckpointsRecord(file, at);
    lanes.free_chunks[lanes.free_chunk_count++] = static_cast<std::uint32_t>(at);
    at += kRollcallCheckpointsBytes;
  }
  PutHead(file, at, kPadField, static_cast<std::uint32_t>(end - at) - 4);
  Publish(file, begin + 4, kRollcallBlockBytes - 4);
  ShowHead(file, begin, ROLLCALL_Trace_progress, kRollcallProgressBytes - 4);
  lanes.free_progress_at = begin;
  lanes.free_progress_count = kRollcallProgressPerBlock;
  return true;
}

}  // namespace rollcall::interpose
