// Checkpoints: the hash of a lane after every 1024 * 2^shift calls. When 64 records of 64 are full,
// every second checkpoint goes and the step doubles.
#include <string.h>

#include "interpose/core/field_bytes.h"
#include "interpose/core/lanes.h"
#include "interpose/core/recorder_state.h"
#include "proto/fingerprint.h"

namespace rollcall::interpose {
namespace {

constexpr std::uint32_t kEntries = kRollcallCheckpointsEntries;
constexpr std::uint64_t kMost = std::uint64_t{kEntries} * kRollcallCheckpointsPerLane;

std::uint64_t Step(const LaneState& lane) noexcept {
  return std::uint64_t{kRollcallCheckpointInterval} << lane.shift;
}

std::uint32_t TakeRecord(Recorder& recorder) noexcept {
  Lanes& lanes = recorder.lanes;
  // A block of records for checkpoints alone would waste the Progress records in it that are
  // unused.
  const std::uint64_t progress_at = lanes.free_progress_at;
  const std::uint32_t progress_count = lanes.free_progress_count;
  if (lanes.free_chunk_count == 0) {
    if (!AddFingerprintBlock(recorder)) return 0;
    if (progress_count) {
      lanes.free_progress_at = progress_at;
      lanes.free_progress_count = progress_count;
    }
  }
  return lanes.free_chunks[--lanes.free_chunk_count];
}

void Fill(Recorder& recorder, std::uint32_t at, std::uint32_t lane, std::uint32_t shift,
          std::uint64_t first, const std::uint64_t* hashes) noexcept {
  const TraceFile& file = recorder.file;
  PatchRecord(file, at, kRollcallCheckpointsBytes, ++recorder.lanes.chunk_sequence, [&] {
    PutRaw(file, at + kRollcallCheckpointsFirstAt, first);
    PutRaw(file, at + kRollcallCheckpointsLaneAt, lane);
    PutRaw(file, at + kRollcallCheckpointsShiftAt, shift);
    memcpy(file.image + at + kRollcallCheckpointsHashAt, hashes, 8 * kEntries);
  });
}

void GiveUp(Recorder& recorder, std::uint32_t at) noexcept {
  const TraceFile& file = recorder.file;
  Word64(file, at + kRollcallSequenceAt).store(0, std::memory_order_release);
  Publish(file, at + kRollcallSequenceAt, 8);
  Word64(file, at + kRollcallCheckpointsCheckAt).store(0, std::memory_order_release);
  Publish(file, at + kRollcallCheckpointsCheckAt, 8);
  recorder.lanes.free_chunks[recorder.lanes.free_chunk_count++] = at;
}

// Two neighbours become one, which is written before they are given up.
bool DoubleStep(Recorder& recorder, std::uint32_t id) noexcept {
  LaneState& lane = recorder.lanes.lanes[id];
  if (lane.chunk_count < kRollcallCheckpointsPerLane) return false;
  // Merging needs one record at most: each pair gives back two.
  const std::uint32_t spare = TakeRecord(recorder);
  if (!spare) return false;
  recorder.lanes.free_chunks[recorder.lanes.free_chunk_count++] = spare;
  for (std::uint32_t i = 0; i < kRollcallCheckpointsPerLane / 2; ++i) {
    const std::uint32_t pair[] = {lane.chunks[2 * i], lane.chunks[2 * i + 1]};
    std::uint64_t hashes[kEntries];
    for (std::uint32_t j = 0; j < kEntries; ++j)
      memcpy(&hashes[j],
             recorder.file.image + pair[j >= kEntries / 2] + kRollcallCheckpointsHashAt +
                 8 * ((2 * j + 1) % kEntries),
             8);
    const std::uint32_t merged = TakeRecord(recorder);
    Fill(recorder, merged, id, lane.shift + 1, std::uint64_t{i} * kEntries + 1, hashes);
    GiveUp(recorder, pair[0]);
    GiveUp(recorder, pair[1]);
    lane.chunks[i] = merged;
  }
  ++lane.shift;
  lane.chunk_count = kRollcallCheckpointsPerLane / 2;
  return true;
}

// A checkpoint that finds no room is a hole, which readers allow; then the records behind it are
// too.
void AddCheckpoint(Recorder& recorder, std::uint32_t id) noexcept {
  LaneState& lane = recorder.lanes.lanes[id];
  if (lane.count / Step(lane) > kMost && (!DoubleStep(recorder, id) || lane.count % Step(lane)))
    return;
  const std::uint64_t number = lane.count / Step(lane);
  const std::uint64_t index = (number - 1) / kEntries;
  if (index >= kRollcallCheckpointsPerLane) return;
  while (lane.chunk_count <= index) {
    const std::uint64_t none[kEntries] = {};
    const std::uint32_t record = TakeRecord(recorder);
    if (!record) return;
    Fill(recorder, record, id, lane.shift, std::uint64_t{lane.chunk_count} * kEntries + 1, none);
    lane.chunks[lane.chunk_count++] = record;
  }
  const std::uint64_t at =
      lane.chunks[index] + kRollcallCheckpointsHashAt + 8 * ((number - 1) % kEntries);
  Word64(recorder.file, at).store(lane.hash | ROLLCALL_HASH_BIT, std::memory_order_release);
  Publish(recorder.file, at, 8);
}

}  // namespace

void AppendToLane(Recorder& recorder, std::uint32_t id, std::uint64_t element) noexcept {
  LaneState& lane = recorder.lanes.lanes[id];
  if (lane.ended) return;
  lane.hash = RollcallFingerprintAppend(lane.hash, element);
  lane.changed = true;
  ++lane.count;
  if ((lane.count & (Step(lane) - 1)) == 0) AddCheckpoint(recorder, id);
}

}  // namespace rollcall::interpose
