// What a call is in the fingerprints: its lane and its element.
#include "interpose/core/recorder_state.h"
#include "interpose/core/shape_key.h"
#include "interpose/core/shapes.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

bool LaneOf(const CallArguments& call, std::uint32_t* kind, std::int32_t* peer) noexcept {
  *peer = 0;
  *kind = ROLLCALL_LANE_COLLECTIVE;
  if (call.communicator == 0) return false;
  switch (call.operation) {
    case ROLLCALL_OPERATION_SEND:
      *kind = ROLLCALL_LANE_SEND;
      *peer = call.peer;
      return true;
    case ROLLCALL_OPERATION_RECV:
      *kind = ROLLCALL_LANE_RECV;
      *peer = call.peer;
      return true;
    case ROLLCALL_OPERATION_UNKNOWN:
    case ROLLCALL_OPERATION_INIT:
    case ROLLCALL_OPERATION_RENDEZVOUS:
    case ROLLCALL_OPERATION_GROUP_START:
    case ROLLCALL_OPERATION_GROUP_END:
    case ROLLCALL_OPERATION_SYNC:
      return false;
    default:
      return true;
  }
}

std::uint64_t SplitsDigest(const CallArguments& call) noexcept {
  if (call.splits_digest || (call.input_split_count | call.output_split_count) == 0)
    return call.splits_digest;
  std::uint64_t digest = RollcallFingerprintMix(1, call.input_split_count);
  for (std::uint32_t i = 0; i < KeptSplits(call.input_split_count); ++i)
    digest = RollcallFingerprintMix(digest, call.input_splits[i]);
  for (std::uint32_t i = 0; i < KeptSplits(call.output_split_count); ++i)
    digest = RollcallFingerprintMix(digest, call.output_splits[i]);
  return digest;
}

std::uint64_t FingerprintOf(const CallArguments& call) noexcept {
  RollcallFingerprintTuple tuple = {};
  tuple.operation = call.operation;
  tuple.datatype = call.datatype;
  tuple.redop = call.redop;
  tuple.element_bytes = call.element_bytes;
  tuple.redop_function = call.redop_function;
  tuple.count = call.count;
  tuple.root = call.root == kNoRank ? -1 : call.root;
  return RollcallFingerprintOf(&tuple);
}

RowElement ElementOfRow(const Recorder& recorder, std::uint32_t shape, std::uint64_t row) noexcept {
  const ShapeRecord& record = *recorder.shapes.by_id[shape];
  if (record.lane && record.element) return {record.lane, record.element, false};
  if ((record.variable & (ROLLCALL_VARIABLE_COUNT | ROLLCALL_VARIABLE_PEER)) == 0) return {};
  const RowElementSlot& slot = recorder.shapes.row_elements[row % kRowElements];
  if (slot.row.load(std::memory_order_acquire) != row + 1) return {0, 0, true};
  return {slot.lane.load(std::memory_order_relaxed), slot.value.load(std::memory_order_relaxed),
          false};
}

void PutVariableCells(Recorder& recorder, const ShapeRecord& shape, const CallArguments& call,
                      std::uint64_t row) noexcept {
  if (shape.variable & ROLLCALL_VARIABLE_COUNT)
    PutCell(recorder, ROLLCALL_CELL_COUNT, 0, row, call.count);
  if (shape.variable & ROLLCALL_VARIABLE_PEER)
    PutCell(recorder, ROLLCALL_CELL_PEER, 0, row,
            static_cast<std::uint64_t>(std::int64_t{call.peer}));
  if (shape.variable & ROLLCALL_VARIABLE_TAG)
    PutCell(recorder, ROLLCALL_CELL_TAG, 0, row, static_cast<std::uint64_t>(call.tag));
  if (shape.variable & ROLLCALL_VARIABLE_SPLITS)
    PutCell(recorder, ROLLCALL_CELL_SPLITS, 0, row, SplitsDigest(call));
  if ((shape.variable & (ROLLCALL_VARIABLE_COUNT | ROLLCALL_VARIABLE_PEER)) == 0) return;

  std::uint32_t kind = 0;
  std::int32_t peer = 0;
  RowElementSlot& slot = recorder.shapes.row_elements[row % kRowElements];
  slot.row.store(0, std::memory_order_relaxed);
  const std::uint32_t lane =
      LaneOf(call, &kind, &peer) ? FindLane(recorder.lanes, call.communicator, kind, peer) : 0;
  const std::uint64_t element = FingerprintOf(call);
  slot.lane.store(lane, std::memory_order_release);
  slot.value.store(element, std::memory_order_release);
  slot.row.store(row + 1, std::memory_order_release);
  if (lane && shape.element == 0) PutCell(recorder, ROLLCALL_CELL_ELEMENT, lane, row, element);
}

}  // namespace rollcall::interpose
