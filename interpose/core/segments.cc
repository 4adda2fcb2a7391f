#include "interpose/core/segments.h"

#include <string.h>

#include "interpose/core/field_bytes.h"
#include "interpose/core/moved_rows.h"
#include "interpose/core/recorder_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

void FormatSegment(const TraceFile& file, std::uint32_t block, std::uint32_t field,
                   std::uint64_t sequence) noexcept {
  const std::uint64_t at = BlockAt(block);
  PutFiller(file, at + 4, 3);
  PutSequences(file, at, kRollcallBlockBytes, sequence);
  PutHead(file, at + kRollcallPacketsAt, kPadField, kRollcallPacketsEnd - kRollcallPacketsAt - 4);
  PutFiller(file, at + kRollcallPacketsEnd, 3);
  Publish(file, at + 4, kRollcallBlockBytes - 4);
  ShowHead(file, at, field, kRollcallBlockBytes - 4);
}

void Open(Segments& segments, std::uint32_t block) noexcept {
  segments.open_at = BlockAt(block) + kRollcallPacketsAt;
  segments.open_end = BlockAt(block) + kRollcallPacketsEnd;
}

// Packet and new pad behind the pad's head, then one store turns the head. Returns false if it does
// not fit.
bool Append(const TraceFile& file, Segments& segments, std::uint32_t field,
            const std::uint8_t* packet, std::size_t packet_bytes) noexcept {
  // To a multiple of four; one byte is no field, so five.
  constexpr std::uint32_t kFill[] = {0, 5, 2, 3};
  const auto bytes = static_cast<std::uint32_t>(packet_bytes);
  const std::uint32_t filler = kFill[(4 - bytes % 4) % 4];
  const std::uint64_t whole = 4 + std::uint64_t{bytes} + filler;
  const std::uint64_t room = segments.open_end - segments.open_at;
  if (room != whole && room < whole + 4) return false;
  const std::uint64_t at = segments.open_at;
  memcpy(file.image + at + 4, packet, bytes);
  if (filler) PutFiller(file, at + 4 + bytes, filler);
  if (room != whole)
    PutHead(file, at + whole, kPadField, static_cast<std::uint32_t>(room - whole) - 4);
  Publish(file, at + 4, whole - 4 + (room != whole ? 4 : 0));
  ShowHead(file, at, field, bytes);
  segments.open_at += whole;
  return true;
}

bool NextDefinitionSegment(Recorder& recorder, DefinitionBudget budget) noexcept {
  const std::uint64_t used = recorder.definitions.sequence * kRollcallBlockBytes;
  const std::uint64_t quarter = recorder.file.bound / 4;
  if (used >= (budget == DefinitionBudget::kOrdinary ? quarter : quarter + quarter / 2))
    return false;
  const std::uint32_t block = TakeBlock(recorder);
  if (block == kNoBlock) return false;
  FormatSegment(recorder.file, block, ROLLCALL_Trace_definitions, ++recorder.definitions.sequence);
  Open(recorder.definitions, block);
  return true;
}

// Makes a segment empty; its packets are one pad again.
void Empty(const TraceFile& file, std::uint32_t block) noexcept {
  ShowHead(file, BlockAt(block) + kRollcallPacketsAt, kPadField,
           kRollcallPacketsEnd - kRollcallPacketsAt - 4);
}

bool NextEventSegment(Recorder& recorder) noexcept {
  EventSegments& events = recorder.events;
  // An eighth of the file, but at least two; then the oldest is reused.
  const bool may_add = events.count < 2 || (events.count < kMaxEventSegments &&
                                            events.count * std::uint64_t{kRollcallBlockBytes} <
                                                recorder.file.bound / 8);
  std::uint32_t block = may_add ? TakeBlock(recorder) : kNoBlock;
  const bool added = block != kNoBlock;
  if (added) {
    FormatSegment(recorder.file, block, ROLLCALL_Trace_events, ++events.open.sequence);
    events.blocks[events.count++] = block;
  } else {
    if (events.count == 0) return false;
    block = events.blocks[events.next++ % events.count];
    PatchRecord(recorder.file, BlockAt(block), kRollcallBlockBytes, ++events.open.sequence,
                [&] { Empty(recorder.file, block); });
    // The next one is emptied now and filled later, for readers that copy.
    if (events.count > 1) Empty(recorder.file, events.blocks[events.next % events.count]);
  }
  Open(events.open, block);
  if (!added) RepeatMovedRows(recorder);
  return true;
}

}  // namespace

bool PrepareSegments(Recorder& recorder) noexcept {
  return NextDefinitionSegment(recorder, DefinitionBudget::kOrdinary) && NextEventSegment(recorder);
}

bool AppendDefinition(Recorder& recorder, const std::uint8_t* message, std::size_t bytes,
                      DefinitionBudget budget) noexcept {
  if (Append(recorder.file, recorder.definitions, ROLLCALL_Segment_definition, message, bytes))
    return true;
  return NextDefinitionSegment(recorder, budget) &&
         Append(recorder.file, recorder.definitions, ROLLCALL_Segment_definition, message, bytes);
}

bool AppendEvent(Recorder& recorder, const std::uint8_t* message, std::size_t bytes) noexcept {
  if (Append(recorder.file, recorder.events.open, ROLLCALL_Segment_event, message, bytes))
    return true;
  return NextEventSegment(recorder) &&
         Append(recorder.file, recorder.events.open, ROLLCALL_Segment_event, message, bytes);
}

}  // namespace rollcall::interpose
