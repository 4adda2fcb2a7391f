#include "tests/gloo/recorded_calls.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzer/trace/python_lines.h"

namespace rollcall::tests {
namespace {

constexpr std::uint32_t kEnded = 0xffffffff;
constexpr std::uint32_t kUnwatched = 0xfffffffe;

std::string LowerWord(const std::string& name, const std::string& prefix) {
  std::string word = name.substr(prefix.size());
  for (char& character : word)
    character = static_cast<char>(std::tolower(character));
  return word;
}

template <class List>
std::string JoinNumbers(const List& list, const char* separator) {
  std::string text;
  for (const auto& value : list)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

struct Definitions {
  std::map<std::uint32_t, CallShape> shapes;
  std::map<std::uint32_t, Communicator> communicators;
  std::map<std::uint32_t, CodeObject> codes;
  std::map<std::uint32_t, PythonStack> stacks;
  int python_minor = 0;
};

// Or Python's own.
bool IsFramework(const std::string& file) {
  const auto has = [&file](const char* part) { return file.find(part) != std::string::npos; };
  return has("/torch/") || file.rfind('<', 0) == 0 || has("/typing_extensions.py") ||
         (has("/lib/python3.") && !has("-packages/"));
}

void AddSite(const Definitions& known, std::uint32_t id, const std::string& function_name,
             const std::string& line_name, RecordedCall* call) {
  const auto stack = known.stacks.find(id);
  if (stack == known.stacks.end()) return;
  for (int i = 0; i < stack->second.code_size(); ++i) {
    const CodeObject& code = known.codes.at(stack->second.code(i));
    if (IsFramework(code.file())) continue;
    (*call)[function_name] = code.function();
    (*call)[line_name] =
        std::to_string(analyzer::PythonLine(known.python_minor, static_cast<int>(code.first_line()),
                                            code.line_table(), stack->second.offset(i)));
    return;
  }
}

RecordedCall Describe(const Definitions& known, const CallShape& shape) {
  RecordedCall call;
  call["operation"] = LowerWord(Operation_Name(shape.operation()), "OPERATION_");
  call["library"] = shape.library_name();
  call["count"] = std::to_string(shape.count());
  if (shape.datatype() != 0)
    call["datatype"] = LowerWord(Datatype_Name(shape.datatype()), "DATATYPE_");
  if (shape.redop() != 0)
    call["redop"] = LowerWord(ReduceOperation_Name(shape.redop()), "REDUCE_OPERATION_");
  call["bytes"] = std::to_string(shape.element_bytes());
  if (shape.has_root()) call["root"] = std::to_string(shape.root());
  if (shape.has_peer()) call["peer"] = std::to_string(shape.peer());
  if (shape.has_tag()) call["tag"] = std::to_string(shape.tag());
  call["tensors"] = std::to_string(shape.tensors());
  call["dimensions"] = JoinNumbers(shape.dimensions(), "x");
  call["input"] = JoinNumbers(shape.input_splits(), ",");
  call["output"] = JoinNumbers(shape.output_splits(), ",");
  call["flags"] = std::to_string(shape.flags());
  call["timeout"] = std::to_string(shape.timeout_ms());
  const auto communicator = known.communicators.find(shape.communicator());
  if (communicator != known.communicators.end()) {
    call["group"] = communicator->second.name();
    call["path"] = communicator->second.store_path();
    call["size"] = std::to_string(communicator->second.size());
    call["rank"] = std::to_string(communicator->second.rank());
    call["occurrence"] = std::to_string(communicator->second.occurrence());
  }
  AddSite(known, shape.python_stack(), "function", "line", &call);
  AddSite(known, shape.initiator(), "initiator", "initiator_line", &call);
  return call;
}

void AddRows(const Trace& trace, const Definitions& known, RecordedProcess* process) {
  std::map<std::uint64_t, std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>> cells;
  for (const CellBlock& block : trace.cells())
    for (int i = 0; i < block.kind_size(); ++i)
      if (block.kind(i) != 0) cells[block.row(i)][block.kind(i)] = {block.value(i), block.extra(i)};
  std::map<std::uint64_t, std::string> failures;
  std::map<std::uint64_t, bool> failed;
  for (const Event& event : process->events) {
    if (event.kind() != EVENT_FAILED) continue;
    failed[event.row() - 1] = true;
    failures[event.row() - 1] = event.data();
  }
  std::map<std::uint32_t, std::uint64_t> next_position;
  for (const CallBlock& block : trace.calls()) {
    for (int i = 0; i < block.shape_size(); ++i) {
      if (block.shape(i) == 0) continue;
      const std::uint64_t row =
          (block.sequence() - 1) * trace.header().rows() + static_cast<std::uint64_t>(i);
      const CallShape& shape = known.shapes.at(block.shape(i));
      RecordedCall call = Describe(known, shape);
      const auto& cell = cells[row];
      const auto value = [&cell](CellKind kind, const char* name, RecordedCall* described) {
        const auto found = cell.find(kind);
        if (found != cell.end())
          (*described)[name] = std::to_string(static_cast<std::int64_t>(found->second.first));
      };
      value(CELL_COUNT, "count", &call);
      value(CELL_PEER, "peer", &call);
      value(CELL_TAG, "tag", &call);
      if (shape.operation() < OPERATION_INIT && !shape.has_peer()) {
        std::uint64_t& next = next_position[shape.communicator()];
        const auto position = cell.find(CELL_POSITION);
        if (position != cell.end()) next = position->second.first;
        call["position"] = std::to_string(next);
        next += position != cell.end() ? position->second.second : 1;
      }
      const std::uint32_t completed = block.completed(i);
      call["started"] = block.started(i) != 0 ? "yes" : "no";
      call["state"] = completed == 0            ? "pending"
                      : failed[row]             ? "failed"
                      : completed == kUnwatched ? "unwatched"
                      : completed == kEnded     ? "ended"
                                                : "completed";
      if (failed[row]) call["text"] = failures[row];
      process->calls.push_back(call);
    }
  }
}

void AddDefinitions(const Definition& definition, Definitions* known, RecordedProcess* process) {
  if (definition.has_shape()) known->shapes[definition.shape().id()] = definition.shape();
  if (definition.has_code()) known->codes[definition.code().id()] = definition.code();
  if (definition.has_python_stack())
    known->stacks[definition.python_stack().id()] = definition.python_stack();
  if (definition.has_setting())
    process->settings[definition.setting().name()] = definition.setting().value();
  if (!definition.has_communicator()) return;
  Communicator& communicator = known->communicators[definition.communicator().id()];
  communicator.MergeFrom(definition.communicator());
}

}  // namespace

RecordedProcess ReadProcess(const std::string& file) {
  RecordedProcess process;
  std::ifstream stream(file, std::ios::binary);
  Trace trace;
  if (!trace.ParseFromIstream(&stream)) return process;
  process.readable = true;
  Definitions known;
  for (const Segment& segment : trace.definitions())
    for (const Definition& definition : segment.definition())
      AddDefinitions(definition, &known, &process);
  for (const Segment& segment : trace.definitions())
    process.events.insert(process.events.end(), segment.event().begin(), segment.event().end());
  for (const Segment& segment : trace.events())
    process.events.insert(process.events.end(), segment.event().begin(), segment.event().end());
  for (const auto& [id, communicator] : known.communicators)
    process.communicators.push_back(communicator);
  const std::string version = process.settings["python.version"];
  const std::size_t dot = version.find('.');
  if (dot != std::string::npos) known.python_minor = std::atoi(version.c_str() + dot + 1);
  AddRows(trace, known, &process);
  return process;
}

std::string TraceOf(const std::string& folder, int pid) {
  const std::string part = "." + std::to_string(pid) + ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".rollcall" && name.find(part) != std::string::npos)
      return entry.path();
  }
  return "";
}

}  // namespace rollcall::tests
