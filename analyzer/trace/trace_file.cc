#include "analyzer/trace/trace_file.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "absl/strings/str_cat.h"
#include "analyzer/trace/file_reader.h"
#include "analyzer/trace/foreign.h"
#include "analyzer/trace/grid.h"
#include "proto/trace_fields.h"

namespace rollcall::analyzer {
namespace {

static_assert(sizeof(RollcallState) <= kRollcallStateBytes);

TraceFile& Refuse(TraceFile& trace, TraceState state, std::string message) {
  trace.state = state;
  trace.message = std::move(message);
  return trace;
}

// A sparse file may say any size. The recorder stays below 2 GiB.
constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;

bool LooksLikeTrace(absl::string_view head) {
  constexpr char kHead[4] = {'\x0a', '\xfc', '\x9f', '\x00'};
  return head.substr(0, 4) == absl::string_view(kHead, std::min<std::size_t>(4, head.size()));
}

// Whether the first block of the grid is one: then the bytes in front of it were a header.
bool HasFirstBlock(const FileReader& file) {
  std::string block(kRollcallBlockBytes, '\0');
  block.resize(file.Read(kRollcallHeaderBytes, block.data(), block.size()));
  if (BlockField(block) == 0) return false;
  BlockContents contents;
  ParseBlock(block, contents);
  return contents.sound;
}

void RefuseForeign(const FileReader& file, absl::string_view page, TraceFile& trace) {
  if (HasFirstBlock(file)) {
    trace.first_damage = 0;
    Refuse(trace, TraceState::kDamaged,
           "the header, at byte 0, is damaged: whose trace it is cannot be told");
    return;
  }
  const std::string contents = GuessContents(page);
  Refuse(trace, TraceState::kForeign,
         absl::StrCat("not a trace of rollcall", contents.empty()
                                                     ? ": it does not begin with a trace header"
                                                     : absl::StrCat(", but ", contents)));
}

std::string VersionMessage(std::uint32_t version) {
  return absl::StrCat("format version ", version, ", which is ",
                      version > ROLLCALL_FORMAT_VERSION
                          ? "newer than this rollcall, that reads version "
                          : "older than what this rollcall reads, version ",
                      ROLLCALL_FORMAT_VERSION, ": analyze it with the release that recorded it");
}

// The header page; false if the file is refused.
bool ReadHeaderPage(const FileReader& file, TraceFile& trace) {
  std::string page(kRollcallHeaderBytes, '\0');
  page.resize(file.Read(0, page.data(), page.size()));
  trace.bytes = static_cast<std::int64_t>(page.size());
  if (page.empty()) {
    Refuse(trace, TraceState::kEmpty,
           "the file is empty: its process was stopped before the recorder wrote the header");
    return false;
  }
  if (!LooksLikeTrace(page)) {
    RefuseForeign(file, page, trace);
    return false;
  }
  if (page.size() < kRollcallHeaderBytes) {
    Refuse(trace, TraceState::kTruncated,
           absl::StrCat("ends at byte ", page.size(),
                        ", within the header: nothing can be read from it"));
    return false;
  }
  const bool whole = ParseHeader(page, trace.header);
  if (trace.header.version() == 0 || trace.header.pid() == 0) {
    Refuse(trace, TraceState::kDamaged,
           "the header, at byte 0, is damaged: whose trace it is cannot be told");
    trace.first_damage = 0;
    return false;
  }
  if (trace.header.version() != ROLLCALL_FORMAT_VERSION) {
    Refuse(trace, TraceState::kVersion, VersionMessage(trace.header.version()));
    return false;
  }
  if (!whole) {
    ++trace.damaged_blocks;
    trace.first_damage = 0;
  }
  std::memcpy(&trace.process_state, page.data() + kRollcallStateAt, sizeof trace.process_state);
  trace.has_process_state = trace.process_state.magic == ROLLCALL_STATE_MAGIC;
  if (!trace.has_process_state) trace.process_state = {};
  return true;
}

void TakeProgress(const BlockContents& contents, TraceFile& trace) {
  for (const ProgressView& view : contents.progress) {
    ProgressView& kept = trace.progress[view.lane];
    if (view.sequence > kept.sequence) kept = view;
  }
}

// First row that was entered and has not completed; -1 = none.
int FirstOpen(const CallColumns& calls) {
  std::uint32_t any = 0;
  for (std::uint32_t row = 0; row < calls.rows; ++row) {
    any |= static_cast<std::uint32_t>(CallColumns::At(calls.completed, row) == 0 &&
                                      CallColumns::At(calls.shape, row) != 0);
  }
  if (any == 0) return -1;
  int row = 0;
  while (CallColumns::At(calls.completed, static_cast<std::uint32_t>(row)) != 0 ||
         CallColumns::At(calls.shape, static_cast<std::uint32_t>(row)) == 0)
    ++row;
  return row;
}

void Collect(BlockContents& contents, std::int64_t offset, TraceFile& trace,
             std::vector<EventSegment>& events) {
  for (const CallColumns& calls : contents.calls)
    trace.call_blocks.push_back({calls.sequence, offset, FirstOpen(calls)});
  for (std::vector<CellView>& cells : contents.cells) {
    trace.cells.insert(trace.cells.end(), cells.begin(), cells.end());
  }
  std::move(contents.definitions.begin(), contents.definitions.end(),
            std::back_inserter(trace.definitions));
  std::move(contents.events.begin(), contents.events.end(), std::back_inserter(events));
  TakeProgress(contents, trace);
  for (const CheckpointsView& view : contents.checkpoints) {
    for (std::size_t i = 0; i < view.hashes.size(); ++i) {
      if (view.hashes[i] == 0) continue;
      const auto calls =
          static_cast<std::int64_t>((view.first + i) * kRollcallCheckpointInterval << view.shift);
      trace.checkpoints[view.lane][calls] = view.hashes[i];
    }
  }
  trace.discarded += contents.discarded;
}

// Parses the block at `offset`; what does not parse is read again once, because a copy of a live
// file is not one instant.
void ReadBlock(const FileReader& file, std::int64_t offset, absl::string_view bytes,
               TraceFile& trace, std::vector<EventSegment>& events) {
  BlockContents contents;
  ParseBlock(bytes, contents);
  std::string again;
  if (!contents.sound || contents.malformed != 0) {
    again.resize(bytes.size());
    again.resize(file.Read(offset, again.data(), again.size()));
    contents = {};
    ParseBlock(again, contents);
  }
  if (!contents.sound || contents.malformed != 0) {
    // The last block of a file that was cut off is no damage.
    const bool cut = offset + kRollcallBlockBytes > trace.bytes;
    if (!cut) {
      if (trace.damaged_blocks++ == 0) trace.first_damage = offset;
    }
  }
  Collect(contents, offset, trace, events);
}

// Of a live file: blocks that were seen behind the progress may have been reused since it was
// copied. What covers the rows that they held was written before, so it is there now.
void ReadProgressAgain(const FileReader& file, const std::vector<std::int64_t>& offsets,
                       TraceFile& trace) {
  std::string bytes;
  for (const std::int64_t offset : offsets) {
    bytes.resize(kRollcallBlockBytes);
    bytes.resize(file.Read(offset, bytes.data(), bytes.size()));
    BlockContents contents;
    ParseBlock(bytes, contents);
    TakeProgress(contents, trace);
  }
}

// Sorted, each sequence once: a live file may show a block twice, before and after it moved. The
// later place is as good.
void SortCallBlocks(TraceFile& trace) {
  std::stable_sort(
      trace.call_blocks.begin(), trace.call_blocks.end(),
      [](const CallBlockPlace& a, const CallBlockPlace& b) { return a.sequence < b.sequence; });
  trace.call_blocks.erase(std::unique(trace.call_blocks.begin(), trace.call_blocks.end(),
                                      [](const CallBlockPlace& a, const CallBlockPlace& b) {
                                        return a.sequence == b.sequence;
                                      }),
                          trace.call_blocks.end());
}

bool IsCallBlockMissing(const TraceFile& trace) {
  const std::vector<CallBlockPlace>& blocks = trace.call_blocks;
  return !blocks.empty() && blocks.back().sequence - blocks.front().sequence + 1 != blocks.size();
}

// Of a live file: a place that was a pad when it was read may be the block in front of one that was
// read later.
void FindCallBlocksAgain(const FileReader& file, TraceFile& trace) {
  WalkGrid(file, [&](std::int64_t offset, absl::string_view bytes) {
    if (BlockField(bytes) != ROLLCALL_Trace_calls) return;
    BlockContents contents;
    ParseBlock(bytes, contents);
    for (const CallColumns& calls : contents.calls)
      trace.call_blocks.push_back({calls.sequence, offset, FirstOpen(calls)});
  });
  SortCallBlocks(trace);
}

void Describe(TraceFile& trace) {
  const std::int64_t made = std::int64_t{trace.process_state.file_kib} * 1024;
  const bool off_grid = (trace.bytes - kRollcallHeaderBytes) % kRollcallHeaderBytes != 0;
  if (trace.bytes == kMostBytes) {
    trace.state = TraceState::kDamaged;
    trace.message = "longer than any trace can be: only the first 4 GiB were read";
  } else if (trace.damaged_blocks != 0) {
    trace.state = TraceState::kDamaged;
    trace.message =
        absl::StrCat(trace.damaged_blocks, trace.damaged_blocks == 1 ? " block does" : " blocks do",
                     " not parse, the first at byte ", trace.first_damage, "; the rest was read");
  } else if (trace.bytes < made || off_grid) {
    trace.state = TraceState::kTruncated;
    trace.message = absl::StrCat("ends at byte ", trace.bytes);
    if (trace.bytes < made) absl::StrAppend(&trace.message, " of ", made);
    absl::StrAppend(&trace.message, ": the copy was cut off; copy it again");
  }
}

}  // namespace

const char* TraceStateName(TraceState state) {
  switch (state) {
    case TraceState::kComplete:
      return "complete";
    case TraceState::kTruncated:
      return "truncated";
    case TraceState::kDamaged:
      return "damaged";
    case TraceState::kUnreadable:
      return "unreadable";
    case TraceState::kForeign:
      return "foreign";
    case TraceState::kEmpty:
      return "empty";
    case TraceState::kVersion:
      return "version";
  }
  return "unreadable";
}

TraceFile ReadTraceFile(const std::string& path) {
  TraceFile trace;
  trace.path = path;
  absl::StatusOr<FileReader> file = FileReader::Open(path);
  if (!file.ok())
    return Refuse(trace, TraceState::kUnreadable, std::string(file.status().message()));
  // The header first: it tells a size that the file has already.
  if (!ReadHeaderPage(*file, trace)) return trace;
  if (const absl::Status size = file->TakeSize(kMostBytes); !size.ok()) {
    return Refuse(trace, TraceState::kUnreadable, std::string(size.message()));
  }
  trace.bytes = file->size();
  trace.usable = true;

  // Damage is told by the state of the file, not by lines of a library on stderr.
  const google::protobuf::LogSilencer silencer;
  std::vector<EventSegment> events;
  std::vector<std::int64_t> progress_offsets;
  WalkGrid(*file, [&](std::int64_t offset, absl::string_view bytes) {
    ReadBlock(*file, offset, bytes, trace, events);
    if (BlockField(bytes) == ROLLCALL_Trace_progress) progress_offsets.push_back(offset);
  });
  SortCallBlocks(trace);
  if (IsCallBlockMissing(trace)) FindCallBlocksAgain(*file, trace);
  ReadProgressAgain(*file, progress_offsets, trace);
  std::stable_sort(events.begin(), events.end(), [](const EventSegment& a, const EventSegment& b) {
    return a.sequence < b.sequence;
  });
  for (EventSegment& segment : events) {
    std::move(segment.events.begin(), segment.events.end(), std::back_inserter(trace.events));
  }
  std::stable_sort(trace.cells.begin(), trace.cells.end(),
                   [](const CellView& a, const CellView& b) { return a.row < b.row; });
  Describe(trace);
  return trace;
}

std::vector<Definition> ReadDefinitions(const std::string& path) {
  absl::StatusOr<FileReader> file = FileReader::Open(path);
  if (!file.ok() || !file->TakeSize().ok()) return {};
  const google::protobuf::LogSilencer silencer;
  BlockContents contents;
  WalkGrid(*file, [&](std::int64_t, absl::string_view bytes) {
    if (BlockField(bytes) == ROLLCALL_Trace_definitions) ParseBlock(bytes, contents);
  });
  return std::move(contents.definitions);
}

}  // namespace rollcall::analyzer
