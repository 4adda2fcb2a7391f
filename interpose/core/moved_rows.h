// Open rows whose block is needed: they go on as events. A call that is pending for hours must not
// hold a block of the ring, and must not be lost.
//
// The owner of a row stamps it with plain stores. So that its block can be taken from under it, it
// says first in a slot of its own at which block it is, then looks whether the block is still that
// of the row; who moves rows hides the block, makes every thread pass a barrier (membarrier(2)),
// and gives up when a slot names the block. Threads without a slot pin the block instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::uint32_t kStampSlots = 1024;
constexpr std::uint32_t kMovedRows = 128;
constexpr std::uint32_t kMaxMovedFromBlock = 16;

struct alignas(64) StampSlot {
  std::atomic<std::uint32_t> block;  // plus 1; 0 = at none
};

struct MovedRow {
  std::uint64_t number;
  std::uint64_t shape;
  std::uint64_t entered_ns;
  std::uint64_t started_ns;  // 0 = not started
};

struct MovedRows {
  StampSlot slots[kStampSlots];
  std::atomic<std::uint32_t> slots_taken;
  bool has_barrier;           // else rows are never moved
  MovedRow rows[kMovedRows];  // still open, oldest first
  std::uint32_t count;
};

void RegisterBarrier(MovedRows& moved) noexcept;

// All below: with the recorder's mutex held.
// The block is hidden. Returns false when an owner is at it; then nothing was changed.
bool MoveOpenRows(Recorder& recorder, std::uint32_t block, std::uint64_t sequence) noexcept;
// Writes the events of all moved rows again, because those written before are about to go.
void RepeatMovedRows(Recorder& recorder) noexcept;
bool IsMovedRow(const Recorder& recorder, std::uint64_t number) noexcept;
void ForgetMovedRow(Recorder& recorder, std::uint64_t number) noexcept;

}  // namespace rollcall::interpose
