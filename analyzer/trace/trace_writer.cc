#include "analyzer/trace/trace_writer.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "analyzer/trace/write_layout.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::analyzer {
namespace {

struct LaneHash {
  std::uint64_t count = 0, hash = 0;
  std::vector<std::uint64_t> checkpoints;
};

}  // namespace

bool IsCollective(Operation operation) {
  switch (operation) {
    case OPERATION_ALLREDUCE:
    case OPERATION_BROADCAST:
    case OPERATION_REDUCE:
    case OPERATION_ALLGATHER:
    case OPERATION_REDUCESCATTER:
    case OPERATION_GATHER:
    case OPERATION_SCATTER:
    case OPERATION_ALLTOALL:
    case OPERATION_BARRIER:
    case OPERATION_MONITORED_BARRIER:
    case OPERATION_SPLIT:
    case OPERATION_SHRINK:
    case OPERATION_GROW:
    case OPERATION_FINALIZE:
      return true;
    default:
      return false;
  }
}

std::uint64_t FingerprintElement(const CallShape& shape) {
  RollcallFingerprintTuple tuple{};
  tuple.operation = static_cast<std::uint32_t>(shape.operation());
  tuple.datatype = static_cast<std::uint32_t>(shape.datatype());
  tuple.redop = static_cast<std::uint32_t>(shape.redop());
  tuple.element_bytes = shape.element_bytes();
  tuple.redop_function = shape.redop_function();
  tuple.count = shape.count();
  tuple.root = shape.has_root() ? shape.root() : -1;
  return RollcallFingerprintOf(&tuple);
}

TraceWriter::TraceWriter(Header header) : header_(std::move(header)) {
  header_.set_version(ROLLCALL_FORMAT_VERSION);
  header_.set_block_bytes(kRollcallBlockBytes);
  header_.set_rows(kRollcallRows);
  header_.set_cell_rows(kRollcallCellRows);
  header_.set_multiplier(ROLLCALL_FINGERPRINT_MULTIPLIER);
  state_.magic = ROLLCALL_STATE_MAGIC;
  state_.phase = kRollcallPhaseRunning;
}

void TraceWriter::AddDefinition(const Definition& definition) {
  definitions_.push_back(definition);
}

void TraceWriter::AddSetting(const std::string& name, const std::string& value) {
  Setting* setting = definitions_.emplace_back().mutable_setting();
  setting->set_name(name);
  setting->set_value(value);
}

std::uint32_t TraceWriter::LaneOf(const CallShape& shape) {
  const bool to_peer = shape.operation() == OPERATION_SEND || shape.operation() == OPERATION_RECV;
  if (shape.communicator() == 0 || (!to_peer && !IsCollective(shape.operation()))) return 0;
  if ((shape.flags() & FLAG_CAPTURED) != 0) return 0;
  const LaneKind kind = !to_peer                              ? LANE_COLLECTIVE
                        : shape.operation() == OPERATION_SEND ? LANE_SEND
                                                              : LANE_RECV;
  const int peer = to_peer ? shape.peer() : 0;
  if (peer < 0) return 0;
  const auto [found, is_new] = lanes_.try_emplace({shape.communicator(), kind, peer},
                                                  static_cast<std::uint32_t>(lanes_.size() + 1));
  if (is_new) {
    Lane* lane = definitions_.emplace_back().mutable_lane();
    lane->set_id(found->second);
    lane->set_communicator(shape.communicator());
    lane->set_kind(kind);
    lane->set_peer(peer);
  }
  return found->second;
}

std::uint32_t TraceWriter::AddShape(CallShape shape) {
  shape.set_id(0);
  shape.set_lane(LaneOf(shape));
  shape.set_fingerprint(shape.lane() != 0 && shape.variable() == 0 ? FingerprintElement(shape) : 0);
  const auto [found, is_new] = shape_ids_.try_emplace(
      shape.SerializeAsString(), static_cast<std::uint32_t>(shapes_.size() + 1));
  if (is_new) {
    shape.set_id(found->second);
    shapes_.push_back(shape);
    *definitions_.emplace_back().mutable_shape() = shape;
  }
  return found->second;
}

void TraceWriter::AddEvent(const Event& event) {
  events_.push_back(event);
}

void TraceWriter::AddCell(std::int64_t row, CellKind kind, std::uint64_t value,
                          std::uint32_t extra) {
  cell_columns_[0].push_back(static_cast<std::uint64_t>(kind));
  cell_columns_[1].push_back(extra);
  cell_columns_[2].push_back(static_cast<std::uint64_t>(row));
  cell_columns_[3].push_back(value);
}

std::int64_t TraceWriter::AddRow(const WriterRow& row) {
  rows_.push_back(row);
  return static_cast<std::int64_t>(rows_.size()) - 1;
}

std::string TraceWriter::Finish(int max_call_blocks) const {
  std::map<std::int64_t, std::uint64_t> elements;  // of rows with variable fields
  for (std::size_t i = 0; i < cell_columns_[0].size(); ++i) {
    if (cell_columns_[0][i] == CELL_ELEMENT) {
      elements[static_cast<std::int64_t>(cell_columns_[2][i])] = cell_columns_[3][i];
    }
  }
  std::vector<LaneHash> lanes(lanes_.size() + 1);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const CallShape& shape = shapes_.at(rows_[i].shape - 1);
    if (shape.lane() == 0) continue;
    const auto found = elements.find(static_cast<std::int64_t>(i));
    LaneHash& lane = lanes[shape.lane()];
    lane.hash = RollcallFingerprintAppend(
        lane.hash, found != elements.end() ? found->second : shape.fingerprint());
    if (++lane.count % kRollcallCheckpointInterval == 0) lane.checkpoints.push_back(lane.hash);
  }

  std::string file(kRollcallHeaderBytes, '\0');
  AppendSegments(ROLLCALL_Trace_definitions, definitions_, file);
  AppendSegments(ROLLCALL_Trace_events, events_, file);
  FingerprintRecords records;
  for (std::uint32_t id = 1; id < lanes.size(); ++id) {
    const LaneHash& lane = lanes[id];
    records.progress.push_back({id, lane.count, lane.hash, rows_.size()});
    for (std::size_t at = 0; at < lane.checkpoints.size(); at += kRollcallCheckpointsEntries) {
      const std::size_t end =
          std::min<std::size_t>(lane.checkpoints.size(), at + kRollcallCheckpointsEntries);
      records.checkpoints.push_back(
          {id,
           at + 1,
           {lane.checkpoints.begin() + static_cast<std::ptrdiff_t>(at),
            lane.checkpoints.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
  }
  AppendFingerprints(records, file);
  AppendCells(cell_columns_[0], cell_columns_[1], cell_columns_[2], cell_columns_[3], file);
  AppendCallBlocks(rows_, max_call_blocks, file);

  RollcallState state = state_;
  if (state.file_kib == 0) state.file_kib = static_cast<std::uint32_t>(file.size() / 1024);
  WriteHeaderPage(header_, state, file);
  return file;
}

}  // namespace rollcall::analyzer
