#include "interpose/core/shape_definition.h"

#include <string.h>

#include "interpose/core/recorder_state.h"
#include "interpose/core/shape_key.h"
#include "interpose/core/wire_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

void PutPacked(WireWriter& message, std::uint32_t field, const void* values,
               std::uint32_t count) noexcept {
  if (count == 0) return;
  const std::size_t start = message.BeginMessage(field);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t value;
    memcpy(&value, static_cast<const std::uint8_t*>(values) + 8 * std::size_t{i}, sizeof value);
    message.Varint(value);
  }
  message.EndMessage(start);
}

}  // namespace

void SetLane(Recorder& recorder, ShapeRecord& shape) noexcept {
  std::uint32_t kind = 0;
  std::int32_t peer = 0;
  const bool in_lane = LaneOf(shape.call, &kind, &peer);
  const bool is_creation = shape.call.operation == ROLLCALL_OPERATION_INIT ||
                           shape.call.operation == ROLLCALL_OPERATION_RENDEZVOUS;
  if (in_lane && !(kind != ROLLCALL_LANE_COLLECTIVE && (shape.variable & ROLLCALL_VARIABLE_PEER)))
    shape.lane = DefineLane(recorder, shape.call.communicator, kind, peer);
  const bool differs = (shape.variable & ROLLCALL_VARIABLE_COUNT) &&
                       (RollcallFingerprintFields(shape.call.operation) & kRollcallAgreeCount);
  if ((in_lane || is_creation) && !differs) shape.element = FingerprintOf(shape.call);
}

bool WriteShape(Recorder& recorder, const ShapeRecord& shape, DefinitionBudget budget) noexcept {
  const CallArguments& call = shape.call;
  std::uint8_t buffer[4096];  // two lists of 64 splits of ten bytes are the most of it
  WireWriter message(buffer, sizeof buffer);
  const std::size_t start = message.BeginMessage(ROLLCALL_Definition_shape);
  message.Number(ROLLCALL_CallShape_id, shape.id);
  message.Number(ROLLCALL_CallShape_operation, call.operation);
  message.Number(ROLLCALL_CallShape_datatype, call.datatype);
  message.Number(ROLLCALL_CallShape_redop, call.redop);
  if (call.root != kNoRank) message.Signed(ROLLCALL_CallShape_root, call.root);
  if (call.peer != kNoRank) message.Signed(ROLLCALL_CallShape_peer, call.peer);
  message.Number(ROLLCALL_CallShape_count, call.count);
  message.Number(ROLLCALL_CallShape_communicator, call.communicator);
  message.Number(ROLLCALL_CallShape_python_stack, call.python_stack);
  message.Number(ROLLCALL_CallShape_native_stack, call.native_stack);
  message.Number(ROLLCALL_CallShape_initiator, call.initiator);
  message.Number(ROLLCALL_CallShape_thread, shape.thread);
  if (call.tag != kNoTag) message.Signed(ROLLCALL_CallShape_tag, call.tag);
  message.Fixed64(ROLLCALL_CallShape_fingerprint, shape.element);
  message.Number(ROLLCALL_CallShape_element_bytes, call.element_bytes);
  message.Number(ROLLCALL_CallShape_flags, call.flags);
  PutPacked(message, ROLLCALL_CallShape_dimensions, call.dimensions, KeptDimensions(call));
  PutPacked(message, ROLLCALL_CallShape_input_splits, call.input_splits,
            KeptSplits(call.input_split_count));
  PutPacked(message, ROLLCALL_CallShape_output_splits, call.output_splits,
            KeptSplits(call.output_split_count));
  message.Number(ROLLCALL_CallShape_timeout_ms, WireWriter::ZigZag(call.timeout_ms));
  message.Fixed64(ROLLCALL_CallShape_redop_function, call.redop_function);
  message.Number(ROLLCALL_CallShape_lane, shape.lane);
  message.Number(ROLLCALL_CallShape_tensors, call.tensors);
  message.Number(ROLLCALL_CallShape_variable, shape.variable);
  message.Text(ROLLCALL_CallShape_library_name, call.library_name, strlen(call.library_name), 64);
  message.EndMessage(start);
  return !message.overflowed() &&
         AppendDefinition(recorder, message.data(), message.size(), budget);
}

}  // namespace rollcall::interpose
