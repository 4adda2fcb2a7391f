// Definitions of a trace become values of the model: ids turn into indices, code objects and
// offsets into lines.
#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/model/native_frames.h"
#include "analyzer/trace/python_lines.h"
#include "analyzer/trace/trace_writer.h"

namespace rollcall::analyzer {
namespace {

// What damage makes of a size must not cost the memory of so many members.
constexpr std::uint32_t kMostMembers = 1u << 17;

int IndexOf(const absl::flat_hash_map<std::uint32_t, int>& indices, std::uint32_t id) {
  const auto found = indices.find(id);
  return id == 0 || found == indices.end() ? -1 : found->second;
}

// Minor version of CPython, which says how line tables are coded; 0 = unknown.
int PythonMinor(const Process& process) {
  const std::string& version = process.Setting("python.version");
  return absl::StartsWith(version, "3.") ? std::atoi(version.c_str() + 2) : 0;
}

Frame MakeFrame(const CodeObject& code, int offset, int minor) {
  Frame frame;
  frame.file = code.file();
  frame.function = code.function();
  frame.line = static_cast<int>(code.first_line());
  if (!code.line_table().empty() && minor != 0) {
    const int line = PythonLine(minor, frame.line, code.line_table(), offset);
    if (line > 0) frame.line = line;
  }
  return frame;
}

void TakeStack(const PythonStack& stack,
               const absl::flat_hash_map<std::uint32_t, const CodeObject*>& code, int minor,
               LoadedProcess& loaded) {
  if (!loaded.python_stacks.try_emplace(stack.id(), loaded.process.python_stacks.size()).second)
    return;
  Stack& made = loaded.process.python_stacks.emplace_back();
  made.truncated = stack.truncated();
  for (int i = 0; i < stack.code_size(); ++i) {
    const auto found = code.find(stack.code(i));
    if (found == code.end()) {
      made.truncated = true;
      continue;
    }
    made.frames.push_back(
        MakeFrame(*found->second, i < stack.offset_size() ? stack.offset(i) : 0, minor));
  }
}

void TakeCommunicator(const rollcall::Communicator& definition, LoadedProcess& loaded) {
  const auto [found, is_new] =
      loaded.communicators.try_emplace(definition.id(), loaded.process.communicators.size());
  if (!is_new) {
    // A name that was learned later is a second definition of the same id.
    CommunicatorHandle& known = loaded.process.communicators[found->second];
    if (!definition.name().empty()) known.name = definition.name();
    return;
  }
  CommunicatorHandle& handle = loaded.process.communicators.emplace_back();
  handle.rank = static_cast<int>(std::min<std::uint32_t>(definition.rank(), kMostMembers - 1));
  handle.size = static_cast<int>(std::min<std::uint32_t>(definition.size(), kMostMembers));
  handle.digest = definition.digest();
  handle.occurrence = static_cast<int>(definition.occurrence());
  handle.store_path = definition.store_path();
  handle.name = definition.name();
  handle.library = definition.library();
  handle.flags = definition.flags();
  handle.parent = IndexOf(loaded.communicators, definition.parent());
  if (definition.has_device()) handle.device = definition.device();
  handle.bus_id = definition.bus_id();
  loaded.collective_lane.push_back(0);
}

bool IsPosition(const CallShape& shape, const LoadedProcess& loaded) {
  if (const auto lane = loaded.lanes.find(shape.lane()); lane != loaded.lanes.end()) {
    return lane->second.kind() == LANE_COLLECTIVE;
  }
  return IsCollective(shape.operation()) && (shape.flags() & (FLAG_INTERNAL | FLAG_CAPTURED)) == 0;
}

void TakeShape(const CallShape& definition, LoadedProcess& loaded) {
  if (!loaded.shapes.try_emplace(definition.id(), loaded.process.shapes.size()).second) return;
  Shape& shape = loaded.process.shapes.emplace_back();
  shape.operation = definition.operation();
  shape.datatype = definition.datatype();
  shape.redop = definition.redop();
  if (definition.has_root()) shape.root = definition.root();
  if (definition.has_peer()) shape.peer = definition.peer();
  if (definition.has_tag()) shape.tag = definition.tag();
  shape.count = definition.count();
  shape.element_bytes = definition.element_bytes();
  shape.flags = definition.flags();
  shape.variable = definition.variable();
  shape.tensors = std::max(1u, definition.tensors());
  shape.timeout_ms = definition.timeout_ms();
  shape.redop_function = definition.redop_function();
  shape.fingerprint = definition.fingerprint();
  shape.dimensions.assign(definition.dimensions().begin(), definition.dimensions().end());
  shape.input_splits.assign(definition.input_splits().begin(), definition.input_splits().end());
  shape.output_splits.assign(definition.output_splits().begin(), definition.output_splits().end());
  shape.library_name = definition.library_name();
  shape.stream = static_cast<int>(std::min(definition.stream(), 1u << 30));
  shape.excluded.assign(definition.excluded().begin(), definition.excluded().end());
  shape.communicator = IndexOf(loaded.communicators, definition.communicator());
  shape.python_stack = IndexOf(loaded.python_stacks, definition.python_stack());
  shape.native_stack = IndexOf(loaded.native_stacks, definition.native_stack());
  shape.initiator_stack = IndexOf(loaded.python_stacks, definition.initiator());
  shape.thread = IndexOf(loaded.threads, definition.thread());
  loaded.is_position.push_back(shape.communicator >= 0 && IsPosition(definition, loaded));
}

}  // namespace

void TakeDefinitions(const std::vector<Definition>& definitions, LoadedProcess& loaded) {
  Process& process = loaded.process;
  absl::flat_hash_map<std::uint32_t, const CodeObject*> code;
  for (const Definition& definition : definitions) {
    if (definition.has_code()) code[definition.code().id()] = &definition.code();
    if (definition.has_setting() &&
        process.Setting(definition.setting().name()) != definition.setting().value()) {
      process.settings.emplace_back(definition.setting().name(), definition.setting().value());
    }
    if (definition.has_communicator()) TakeCommunicator(definition.communicator(), loaded);
    if (definition.has_thread() &&
        loaded.threads.try_emplace(definition.thread().id(), process.threads.size()).second) {
      process.threads.push_back(
          {static_cast<int>(definition.thread().tid()), definition.thread().name()});
    }
    if (definition.has_lane()) loaded.lanes[definition.lane().id()] = definition.lane();
  }
  for (const auto& [id, lane] : loaded.lanes) {
    const int communicator = IndexOf(loaded.communicators, lane.communicator());
    if (communicator >= 0 && lane.kind() == LANE_COLLECTIVE)
      loaded.collective_lane[communicator] = id;
  }
  // Stacks need the Python version, shapes need the stacks.
  const int minor = PythonMinor(process);
  for (const Definition& definition : definitions) {
    if (definition.has_python_stack()) TakeStack(definition.python_stack(), code, minor, loaded);
  }
  TakeNativeStacks(definitions, loaded);
  for (const Definition& definition : definitions) {
    if (definition.has_shape()) TakeShape(definition.shape(), loaded);
  }
}

}  // namespace rollcall::analyzer
