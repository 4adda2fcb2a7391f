#include "tools/rollcall/dump_lines.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rollcall::tools {
namespace {

using analyzer::CallColumns;
using analyzer::LoadedProcess;

// The word of an enumerator: "allreduce" of OPERATION_ALLREDUCE.
std::string Word(const std::string& name, int number, std::size_t prefix) {
  return name.empty() ? std::to_string(number) : absl::AsciiStrToLower(name.substr(prefix));
}

std::string Seconds(std::uint64_t ns) {
  return absl::StrFormat("%u.%09u", ns / 1'000'000'000, ns % 1'000'000'000);
}

const char* PhaseName(std::uint32_t phase) {
  switch (phase) {
    case kRollcallPhaseStarting:
      return "starting";
    case kRollcallPhaseRunning:
      return "running";
    case kRollcallPhaseStopped:
      return "stopped";
    default:
      return "unknown";
  }
}

const char* EndName(std::uint32_t end) {
  switch (end) {
    case kRollcallEndNone:
      return "none";
    case kRollcallEndExit:
      return "exit";
    case kRollcallEndQuick:
      return "quick_exit";
    case kRollcallEndSignal:
      return "signal";
    case kRollcallEndExec:
      return "exec";
    default:
      return "unknown";
  }
}

std::string Place(const analyzer::Frame& frame) {
  return absl::StrCat(frame.file, ":", frame.line, " ", frame.function);
}

std::string StackText(const analyzer::Stack& stack) {
  return absl::StrJoin(stack.frames, " < ", [](std::string* out, const analyzer::Frame& frame) {
    absl::StrAppend(out, Place(frame));
  });
}

std::string TimeCell(const CallColumns& block, const char* name, std::uint32_t units) {
  if (units == 0) return absl::StrCat(" ", name, "=-");
  const std::uint64_t after = std::uint64_t{units - 1} << 10;
  return absl::StrCat(" ", name, "=", Seconds(block.base + after));
}

}  // namespace

std::string HeaderLine(const Header& header) {
  return absl::StrCat("header ", header.ShortDebugString());
}

std::string StateLine(const RollcallState& state) {
  std::uint32_t word = 0;
  std::memcpy(&word, state.mutex, sizeof word);
  std::string line = absl::StrCat(
      "state phase=", PhaseName(state.phase), " helper_tid=", word & ROLLCALL_OWNER_TID,
      " owner_died=", (word & ROLLCALL_OWNER_DIED) != 0, " heartbeat=", Seconds(state.heartbeat_ns),
      " lost_rows=", state.lost_rows, " lost_definitions=", state.lost_definitions,
      " lost_events=", state.lost_events, " error=", state.error, " file_kib=", state.file_kib,
      " snapshot_request=", state.snapshot_request, " snapshot_done=", state.snapshot_done,
      " end=", EndName(state.end_kind));
  if (state.end_kind != kRollcallEndNone) {
    absl::StrAppend(&line, " status=", state.end_status, " signal=", state.end_signal,
                    " code=", state.end_signal_code, " sender=", state.end_signal_pid,
                    " at=", Seconds(state.end_ns));
  }
  if (state.exception_ns != 0) {
    const std::size_t bytes = std::min<std::size_t>(state.exception_bytes, kRollcallExceptionBytes);
    absl::StrAppend(&line, " exception_at=", Seconds(state.exception_ns),
                    " exception_tid=", state.exception_tid,
                    " exception=", std::string(state.exception, strnlen(state.exception, bytes)));
  }
  return line;
}

std::string DefinitionLine(const Definition& definition, const LoadedProcess& process) {
  if (definition.has_code()) {
    Definition shown = definition;
    shown.mutable_code()->clear_line_table();
    return absl::StrCat("definition ", shown.ShortDebugString(), " # line table of ",
                        definition.code().line_table().size(), " bytes");
  }
  if (definition.has_module()) {
    Definition shown = definition;
    shown.mutable_module()->clear_build_id();
    return absl::StrCat("definition ", shown.ShortDebugString(), " # build id ",
                        absl::BytesToHexString(definition.module().build_id()));
  }
  std::string line = absl::StrCat("definition ", definition.ShortDebugString());
  if (definition.has_python_stack()) {
    const auto found = process.python_stacks.find(definition.python_stack().id());
    if (found != process.python_stacks.end()) {
      absl::StrAppend(&line, " # ", StackText(process.process.python_stacks[found->second]));
    }
  }
  if (definition.has_native_stack()) {
    const auto found = process.native_stacks.find(definition.native_stack().id());
    if (found != process.native_stacks.end()) {
      absl::StrAppend(&line, " # ",
                      absl::StrJoin(process.process.native_stacks[found->second].frames, " < ",
                                    [](std::string* out, const analyzer::Frame& frame) {
                                      out->append(frame.function);
                                    }));
    }
  }
  return line;
}

std::string EventLine(const Event& event) {
  Event shown = event;
  if (event.row() != 0) shown.clear_row();
  return absl::StrCat("event ", event.row() == 0 ? "" : absl::StrCat("row=", event.row() - 1, " "),
                      shown.ShortDebugString());
}

std::string CellLine(const analyzer::CellView& cell) {
  const std::string& name = CellKind_Name(static_cast<CellKind>(cell.kind));
  return absl::StrCat("cell row=", cell.row, " ",
                      Word(name, static_cast<int>(cell.kind), sizeof "CELL_" - 1),
                      " value=", cell.value, " extra=", cell.extra);
}

std::string ProgressLine(const analyzer::ProgressView& progress) {
  return absl::StrCat("progress sequence=", progress.sequence, " lane=", progress.lane,
                      " count=", progress.count, " hash=0x", absl::Hex(progress.hash),
                      " next_row=", progress.next_row,
                      progress.ended ? " ended: rows were lost" : "");
}

std::string CheckpointsLine(const analyzer::CheckpointsView& checkpoints) {
  const auto used = std::count_if(checkpoints.hashes.begin(), checkpoints.hashes.end(),
                                  [](std::uint64_t hash) { return hash != 0; });
  return absl::StrCat("checkpoints lane=", checkpoints.lane, " first=", checkpoints.first,
                      " step=", std::uint64_t{kRollcallCheckpointInterval} << checkpoints.shift,
                      " hashes=", used);
}

std::string CallLine(const CallColumns& block, std::uint32_t row, const LoadedProcess& process) {
  const std::uint32_t id = CallColumns::At(block.shape, row);
  std::string line = absl::StrCat("call row=", block.RowNumber(row), " shape=", id);
  const auto found = process.shapes.find(id);
  if (found != process.shapes.end()) {
    const analyzer::Shape& shape = process.process.shapes[found->second];
    absl::StrAppend(
        &line, " ",
        Word(Operation_Name(shape.operation), shape.operation, sizeof "OPERATION_" - 1));
    if (shape.communicator >= 0) {
      const analyzer::CommunicatorHandle& on = process.process.communicators[shape.communicator];
      absl::StrAppend(&line, " on=", on.store_path.empty() ? on.name : on.store_path,
                      " rank=", on.rank, "/", on.size);
    }
    if ((shape.variable & VARIABLE_COUNT) == 0) absl::StrAppend(&line, " count=", shape.count);
    absl::StrAppend(
        &line, " ", Word(Datatype_Name(shape.datatype), shape.datatype, sizeof "DATATYPE_" - 1),
        " ", Word(ReduceOperation_Name(shape.redop), shape.redop, sizeof "REDUCE_OPERATION_" - 1));
    if (shape.root) absl::StrAppend(&line, " root=", *shape.root);
    if (shape.peer) absl::StrAppend(&line, " peer=", *shape.peer);
    if (shape.tag) absl::StrAppend(&line, " tag=", *shape.tag);
  } else {
    absl::StrAppend(&line, " (not defined)");
  }
  absl::StrAppend(&line, TimeCell(block, "entered", CallColumns::At(block.entered, row)),
                  TimeCell(block, "started", CallColumns::At(block.started, row)));
  const std::uint32_t completed = CallColumns::At(block.completed, row);
  if (completed == ROLLCALL_ENDED_SEE_EVENT) {
    absl::StrAppend(&line, " completed=see_event");
  } else if (completed == ROLLCALL_NOT_WATCHED) {
    absl::StrAppend(&line, " completed=not_watched");
  } else {
    absl::StrAppend(&line, TimeCell(block, "completed", completed));
  }
  if (found != process.shapes.end()) {
    const int stack = process.process.shapes[found->second].python_stack;
    if (stack >= 0 && !process.process.python_stacks[stack].frames.empty()) {
      absl::StrAppend(&line, " @", Place(process.process.python_stacks[stack].frames.front()));
    }
  }
  return line;
}

}  // namespace rollcall::tools
