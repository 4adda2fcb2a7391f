// Definitions and events: packets appended to segments, each visible by one store. Called with the
// recorder's mutex held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/core/trace_file.h"
#include "proto/raw_layout.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::size_t kMaxPacketBytes = kRollcallPacketsEnd - kRollcallPacketsAt - 4 - 8;
constexpr std::uint32_t kMaxEventSegments = kMaxBlocks / 8 + 2;

struct Segments {
  std::uint64_t sequence;  // of the open segment
  std::uint64_t open_at;   // file offset of the open pad
  std::uint64_t open_end;  // and behind it; equal = full
};

struct EventSegments {
  Segments open;
  std::uint32_t blocks[kMaxEventSegments];
  std::uint32_t count;
  std::uint32_t next;  // of `blocks`, to be reused
};

// What a definition may use: a quarter of the file, and calls that found no room for their shape
// half as much again for reduced ones.
enum class DefinitionBudget { kOrdinary, kReduced };

// One Definition / Event message. Returns false when it found no room.
bool AppendDefinition(Recorder& recorder, const std::uint8_t* message, std::size_t bytes,
                      DefinitionBudget budget = DefinitionBudget::kOrdinary) noexcept;
bool AppendEvent(Recorder& recorder, const std::uint8_t* message, std::size_t bytes) noexcept;
// Before the first row the file has a segment of each kind. Returns false when there is no room.
bool PrepareSegments(Recorder& recorder) noexcept;

}  // namespace rollcall::interpose
