// A trace as libprotobuf reads it, by the rules of proto/README.md. Plain and slow, and not the
// analyzer's reader: the two check each other only through the format.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>

#include "proto/fingerprint.h"
#include "proto/raw_layout.h"
#include "tests/interpose/core/recording_child.h"

namespace rollcall::interpose::test {
namespace {

void AddDefinitions(const rollcall::Segment& segment, TraceView& view) {
  for (const rollcall::Definition& definition : segment.definition())
    if (definition.has_shape()) view.shapes[definition.shape().id()] = definition.shape();
}

void AddRows(const rollcall::CallBlock& block, TraceView& view) {
  for (int i = 0; i < block.shape_size(); ++i) {
    if (block.shape(i) == 0) continue;
    RowView row;
    row.number = (block.sequence() - 1) * kRollcallRows + static_cast<std::uint64_t>(i);
    row.shape = block.shape(i);
    row.entered = block.entered(i);
    row.started = block.started(i);
    row.completed = block.completed(i);
    row.base = block.base();
    view.rows.push_back(row);
  }
}

void AddCells(const rollcall::CellBlock& block, TraceView& view) {
  for (int i = 0; i < block.kind_size(); ++i)
    if (block.kind(i)) view.cells[block.row(i)][block.kind(i)] = {block.value(i), block.extra(i)};
}

void AddCheckpoints(const rollcall::Checkpoints& record, TraceView& view) {
  for (int i = 0; i < record.hash_size(); ++i) {
    if (record.hash(i) == 0) continue;
    const std::uint64_t calls =
        (record.first() + static_cast<std::uint64_t>(i)) * kRollcallCheckpointInterval
        << record.shift();
    view.checkpoints[{record.lane(), calls}] = record.hash(i) & ~ROLLCALL_HASH_BIT;
  }
}

// Records that are whole and in use.
template <class Records, class Add>
void ForValid(const Records& records, TraceView& view, Add add) {
  for (const auto& record : records) {
    if (record.sequence() != record.sequence_check())
      ++view.discarded;
    else if (record.sequence() != 0)
      add(record);
  }
}

}  // namespace

TraceView ViewTrace(const std::string& bytes) {
  google::protobuf::SetLogHandler(nullptr);
  TraceView view;
  view.parsed = view.trace.ParseFromString(bytes);
  if (!view.parsed) return view;
  const rollcall::Trace& trace = view.trace;
  ForValid(trace.definitions(), view, [&](const auto& it) { AddDefinitions(it, view); });
  ForValid(trace.calls(), view, [&](const auto& it) { AddRows(it, view); });
  ForValid(trace.cells(), view, [&](const auto& it) { AddCells(it, view); });
  ForValid(trace.checkpoints(), view, [&](const auto& it) { AddCheckpoints(it, view); });
  ForValid(trace.events(), view, [&](const auto& it) {
    view.events.insert(view.events.end(), it.event().begin(), it.event().end());
  });
  ForValid(trace.progress(), view, [&](const auto& it) {
    rollcall::Progress& best = view.progress[it.lane()];
    if (it.sequence() > best.sequence()) best = it;
  });
  std::sort(view.rows.begin(), view.rows.end(),
            [](const RowView& a, const RowView& b) { return a.number < b.number; });
  const std::size_t whole = trace.ByteSizeLong();
  view.trace.DiscardUnknownFields();
  view.has_unknown_fields = trace.ByteSizeLong() != whole;
  return view;
}

std::map<std::uint32_t, LaneTotal> TraceView::Totals() const {
  std::map<std::uint32_t, LaneTotal> totals;
  std::map<std::uint32_t, std::uint64_t> next;
  for (const auto& [lane, record] : progress) {
    totals[lane] = {record.count(), record.hash() & ~ROLLCALL_HASH_BIT,
                    (record.hash() & ROLLCALL_HASH_BIT) != 0};
    next[lane] = record.next_row();
  }
  for (const RowView& row : rows) {
    const auto shape = shapes.find(row.shape);
    if (shape == shapes.end()) continue;
    std::uint32_t lane = shape->second.lane();
    std::uint64_t element = shape->second.fingerprint();
    const auto cell = cells.find(row.number);
    if (cell != cells.end() && cell->second.count(rollcall::CELL_ELEMENT)) {
      element = cell->second.at(rollcall::CELL_ELEMENT).first;
      lane = cell->second.at(rollcall::CELL_ELEMENT).second;
    }
    if (lane == 0 || totals[lane].ended || row.number < next[lane]) continue;
    totals[lane].hash = RollcallFingerprintAppend(totals[lane].hash, element);
    ++totals[lane].count;
  }
  return totals;
}

}  // namespace rollcall::interpose::test
