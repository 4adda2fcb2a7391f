#include "tools/rollcall/dump.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "analyzer/trace/file_reader.h"
#include "analyzer/trace/grid.h"
#include "analyzer/trace/trace_file.h"
#include "proto/trace_fields.h"
#include "tools/rollcall/commands.h"
#include "tools/rollcall/dump_lines.h"

namespace rollcall::tools {
namespace {

// The packets of one block, each behind the offset of its block.
void PrintBlock(std::int64_t offset, const analyzer::BlockContents& block,
                const analyzer::LoadedProcess& process, std::ostream& out) {
  const auto print = [&](const std::string& line) { out << offset << ' ' << line << '\n'; };
  for (const Definition& definition : block.definitions)
    print(DefinitionLine(definition, process));
  for (const analyzer::EventSegment& segment : block.events) {
    for (const Event& event : segment.events)
      print(EventLine(event));
  }
  for (const analyzer::CallColumns& calls : block.calls) {
    for (std::uint32_t row = 0; row < calls.rows; ++row) {
      if (analyzer::CallColumns::At(calls.shape, row) != 0) print(CallLine(calls, row, process));
    }
  }
  for (const auto& cells : block.cells) {
    for (const analyzer::CellView& cell : cells)
      print(CellLine(cell));
  }
  for (const analyzer::ProgressView& progress : block.progress)
    print(ProgressLine(progress));
  for (const analyzer::CheckpointsView& checkpoints : block.checkpoints)
    print(CheckpointsLine(checkpoints));
}

}  // namespace

int Dump(const std::string& path, std::ostream& out, std::ostream& err) {
  analyzer::LoadedProcess process;
  process.trace = analyzer::ReadTraceFile(path);
  const analyzer::TraceFile& trace = process.trace;
  if (!trace.message.empty()) err << "rollcall: " << path << ": " << trace.message << '\n';
  if (!trace.usable) return kCannotAnalyze;
  TakeDefinitions(trace.definitions, process);
  out << "0 " << HeaderLine(trace.header) << '\n';
  if (trace.has_process_state) {
    out << kRollcallStateAt << ' ' << StateLine(trace.process_state) << '\n';
  } else {
    out << kRollcallStateAt << " damaged: no state of the process here\n";
  }
  absl::StatusOr<analyzer::FileReader> file = analyzer::FileReader::Open(path);
  if (!file.ok() || !file->TakeSize().ok()) return kCannotAnalyze;
  analyzer::WalkGrid(*file, [&](std::int64_t offset, absl::string_view bytes) {
    analyzer::BlockContents block;
    analyzer::ParseBlock(bytes, block);
    PrintBlock(offset, block, process, out);
    if (analyzer::BlockField(bytes) == ROLLCALL_Trace_pad) out << offset << " pad\n";
    if (block.discarded != 0)
      out << offset << " discarded " << block.discarded << ": reused while it was read\n";
    if (block.sound && block.malformed == 0) return;
    const bool cut = bytes.size() < kRollcallBlockBytes;
    out << offset << (cut ? " cut off" : " damaged: the rest of this block does not parse") << '\n';
  });
  out.flush();
  if (!out) {
    err << "rollcall: cannot write the dump\n";
    return kCannotAnalyze;
  }
  return kNothingFound;
}

Action DeclareDump(CLI::App& options, const std::vector<std::string>&) {
  const auto path = std::make_shared<std::string>();
  options.add_option("FILE", *path, "A trace file")->required();
  return [path] { return Dump(*path, std::cout, std::cerr); };
}

}  // namespace rollcall::tools
