// Lays out a trace file from generated messages and rows, byte for byte by proto/raw_layout.h: for
// `rollcall synth`, for records of other tools that become traces, and for tests. It is not the
// recorder: it works in memory, after the fact.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proto/raw_layout.h"
#include "trace.pb.h"

namespace rollcall::analyzer {

struct WriterRow {
  std::uint32_t shape = 0;        // from AddShape
  std::int64_t entered_ns = 0;    // CLOCK_MONOTONIC, rising from row to row, above 0
  std::int64_t started_ns = 0;    // 0 = not started
  std::int64_t completed_ns = 0;  // 0 = pending; or one of the next two
  bool see_event = false;         // ended, an event says how
  bool not_watched = false;
};

class TraceWriter {
 public:
  // Sets version, grid and multiplier of the header; the rest is the caller's.
  explicit TraceWriter(Header header);

  // Everything but shapes and lanes, ids as the caller chose them.
  void AddDefinition(const Definition& definition);
  void AddSetting(const std::string& name, const std::string& value);
  // Gives the shape its id, lane and fingerprint; equal shapes get the same id.
  std::uint32_t AddShape(CallShape shape);
  void AddEvent(const Event& event);
  void AddCell(std::int64_t row, CellKind kind, std::uint64_t value, std::uint32_t extra = 0);
  // Returns the number of the row.
  std::int64_t AddRow(const WriterRow& row);
  // magic, phase and size of the file are set by Finish if they are 0.
  RollcallState& state() { return state_; }

  // The bytes of the file. max_call_blocks: only the newest are kept, as after reuse; 0 = all.
  // Fingerprints cover all rows.
  std::string Finish(int max_call_blocks = 0) const;

 private:
  std::uint32_t LaneOf(const CallShape& shape);
  Header header_;
  RollcallState state_{};
  std::vector<Definition> definitions_;
  std::vector<CallShape> shapes_;
  std::map<std::string, std::uint32_t> shape_ids_;  // serialized without id -> id
  std::map<std::tuple<std::uint32_t, int, int>, std::uint32_t>
      lanes_;  // communicator, kind, peer -> id
  std::vector<Event> events_;
  std::vector<std::uint64_t> cell_columns_[4];  // kind, extra, row, value
  std::vector<WriterRow> rows_;
};

// Element of the fingerprint of a shape without variable fields; 0 = takes no part.
std::uint64_t FingerprintElement(const CallShape& shape);
// Whether the operation is a position in the sequence of its communicator.
bool IsCollective(Operation operation);

}  // namespace rollcall::analyzer
