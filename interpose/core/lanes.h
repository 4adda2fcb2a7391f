// Lanes: sequences of calls with a fingerprint of their own, and the records that hold it in the
// file (Progress and Checkpoints). Called with the recorder's mutex held, but FindLane.
#pragma once

#include <atomic>
#include <cstdint>

#include "proto/raw_layout.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::uint32_t kMaxLanes = 4096;
constexpr std::uint32_t kLaneEntries = 4 * kMaxLanes;  // power of two

struct LaneState {
  std::uint64_t count;  // calls hashed
  std::uint64_t hash;
  std::uint64_t progress_sequence;
  std::uint64_t progress_at;  // file offset of the first of two records
  std::uint32_t shift;
  std::uint32_t chunk_count;
  bool changed;                                       // behind the last Progress
  bool ended;                                         // rows were lost
  std::uint32_t chunks[kRollcallCheckpointsPerLane];  // file offsets
};

struct Lanes {
  // communicator (16 bits) | kind (2) | peer (30) | lane (16); 0 = empty. Open addressing.
  std::atomic<std::uint64_t> entries[kLaneEntries];
  std::uint32_t count;
  std::atomic<bool> is_full;  // no lane was to be had: do not ask again
  LaneState lanes[kMaxLanes + 2];
  // Records that are formatted and unused.
  std::uint32_t free_chunks[65536];
  std::uint32_t free_chunk_count;
  std::uint64_t free_progress_at;
  std::uint32_t free_progress_count;
  std::uint64_t chunk_sequence;
};

// Lane.id; 0 = there is none (yet). Without the mutex.
std::uint32_t FindLane(const Lanes& lanes, std::uint32_t communicator, std::uint32_t kind,
                       std::int32_t peer) noexcept;
// The same, defined if need be; 0 = no room.
std::uint32_t DefineLane(Recorder& recorder, std::uint32_t communicator, std::uint32_t kind,
                         std::int32_t peer) noexcept;

// Adds one call.
void AppendToLane(Recorder& recorder, std::uint32_t lane, std::uint64_t element) noexcept;
// Brings the Progress records up to `next_row`.
void WriteProgress(Recorder& recorder, std::uint64_t next_row) noexcept;
// Rows were lost: no lane that is there goes on.
void EndLanes(Recorder& recorder) noexcept;
// A block of unused records of both kinds: there before it is needed, because a full file gives up
// a call block only when its rows are covered by them.
bool AddFingerprintBlock(Recorder& recorder) noexcept;

}  // namespace rollcall::interpose
