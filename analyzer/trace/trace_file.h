// A trace file without its rows: who wrote it, what it defines, how far its fingerprints go, where
// its call blocks lie, and how the process ended. Rows are decoded later and only where they
// matter: see rows.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/trace/blocks.h"
#include "proto/raw_layout.h"
#include "trace.pb.h"

namespace rollcall::analyzer {

enum class TraceState {
  kComplete,
  kTruncated,   // cut off; what is there was read
  kDamaged,     // parts do not parse; the rest was read
  kUnreadable,  // cannot be opened
  kForeign,     // no trace of ours
  kEmpty,       // zero bytes
  kVersion,     // a format version this reader does not know
};
// As in report.proto: "complete", "truncated", ...
const char* TraceStateName(TraceState state);

struct CallBlockPlace {
  std::uint64_t sequence = 0;
  std::int64_t offset = 0;  // of the block in the file
  int first_open = -1;      // first row that was entered and has not completed; -1 = none
};

struct TraceFile {
  std::string path;
  TraceState state = TraceState::kComplete;
  std::string message;  // what is wrong, at which byte, what to do; "" = nothing
  bool usable = false;  // the header was understood: there is a process behind this file

  std::int64_t bytes = 0;
  Header header;
  bool has_process_state = false;
  RollcallState process_state{};
  std::vector<Definition> definitions;
  std::vector<Event> events;                       // in the order in which they were written
  std::vector<CellView> cells;                     // by row
  std::map<std::uint32_t, ProgressView> progress;  // by lane: the newer of the two
  std::map<std::uint32_t, std::map<std::int64_t, std::uint64_t>>
      checkpoints;                          // lane -> calls -> hash
  std::vector<CallBlockPlace> call_blocks;  // by sequence

  int damaged_blocks = 0;
  std::int64_t first_damage = -1;  // offset of the first damaged block
  int discarded = 0;               // parts that were being reused while they were read
};

// Never fails: `state` and `message` say what became of the file.
TraceFile ReadTraceFile(const std::string& path);
// Definitions that were added to a live file since; for rows whose shape is unknown.
std::vector<Definition> ReadDefinitions(const std::string& path);

}  // namespace rollcall::analyzer
