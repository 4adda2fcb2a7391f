#include "analyzer/scenario/python_code.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/scenario/words.h"

namespace rollcall::analyzer::scenario {
namespace {

constexpr char kPackages[] = "/usr/lib/python3/dist-packages/";
constexpr int kFrameworkLine = 100;

std::vector<std::string> FunctionsOf(const Statement& statement) {
  return statement.functions.empty() ? std::vector<std::string>{"<module>"} : statement.functions;
}

std::string KeyOf(const std::string& file, const std::vector<std::string>& functions,
                  std::size_t depth) {
  std::string key = file;
  for (std::size_t i = 0; i < depth; ++i)
    absl::StrAppend(&key, ">", functions[i]);
  return key;
}

// Six bits a byte, least significant first; bit 6 = more follow.
void AppendVarint(unsigned value, std::string& bytes) {
  for (; value >= 64; value >>= 6)
    bytes.push_back(static_cast<char>(64 | (value & 63)));
  bytes.push_back(static_cast<char>(value));
}

// Entries of one code unit, each with a line step and no columns.
std::string LineTable(int first_line, const std::vector<int>& lines) {
  constexpr int kNoColumns = 13;
  std::string table;
  int last = first_line;
  for (const int line : lines) {
    table.push_back(static_cast<char>(0x80 | kNoColumns << 3));
    const int step = line - last;
    AppendVarint(
        step < 0 ? static_cast<unsigned>(-step) << 1 | 1 : static_cast<unsigned>(step) << 1, table);
    last = line;
  }
  return table;
}

}  // namespace

CallerLines::CallerLines(const Scenario& scenario) {
  struct Own {
    std::string file;
    int line = 0;
  };
  const auto calls_itself = [](const Statement& statement, const std::string& function) {
    return !statement.file.empty() && FunctionsOf(statement).back() == function;
  };
  // Of a function: its own call that the scenario names last before `until`, else the first behind.
  const auto own_call = [&](const std::string& function, std::size_t until) {
    Own own;
    for (std::size_t i = 0; i < scenario.statements.size(); ++i) {
      const Statement& statement = scenario.statements[i];
      if (!calls_itself(statement, function) || (i > until && own.line != 0)) continue;
      own = {statement.file, i > until ? std::max(1, statement.line - 1) : statement.line};
    }
    return own;
  };
  for (std::size_t i = 0; i < scenario.statements.size(); ++i) {
    const Statement& statement = scenario.statements[i];
    if (statement.file.empty()) continue;
    const std::vector<std::string> functions = FunctionsOf(statement);
    for (std::size_t depth = 2; depth <= functions.size(); ++depth) {
      const std::string key = KeyOf(statement.file, functions, depth);
      const auto [found, is_new] = callers_.try_emplace(key);
      Caller& caller = found->second;
      if (is_new) {
        const Own own = own_call(functions[depth - 2], i);
        caller.elsewhere = !own.file.empty() && own.file != statement.file;
        caller.file = caller.elsewhere ? own.file : statement.file;
        caller.line = caller.elsewhere ? own.line : statement.line;
      } else if (!caller.elsewhere) {
        caller.line = std::min(caller.line, statement.line);
      }
    }
  }
}

std::vector<Frame> CallerLines::UserFrames(const Statement& statement) const {
  std::vector<Frame> frames;
  if (statement.file.empty()) return frames;
  const std::vector<std::string> functions = FunctionsOf(statement);
  frames.push_back({statement.file, statement.line, functions.back()});
  for (std::size_t depth = functions.size(); depth >= 2; --depth) {
    const Caller& caller = callers_.at(KeyOf(statement.file, functions, depth));
    frames.push_back({caller.file, caller.line, functions[depth - 2]});
  }
  return frames;
}

std::vector<Frame> CallFrames(const CallerLines& lines, const Statement& statement) {
  std::vector<Frame> frames = lines.UserFrames(statement);
  const VerbWord* verb = FindVerb(statement.in_backward ? "backward" : statement.word);
  if (frames.empty() || verb == nullptr || *verb->file == '\0') return frames;
  std::string function = verb->function;
  if (statement.operation == OPERATION_INIT && statement.name != "world") function = "new_group";
  frames.insert(frames.begin(), {absl::StrCat(kPackages, verb->file), kFrameworkLine, function});
  return frames;
}

std::vector<Frame> ThreadFrames(const CallerLines& lines, const Scenario& scenario,
                                const PlayedThread& thread) {
  const Statement& statement = scenario.statements[static_cast<std::size_t>(thread.statement)];
  if (thread.inside) return CallFrames(lines, statement);
  std::vector<Frame> frames = lines.UserFrames(statement);
  if (statement.progressing)
    frames.insert(frames.begin(), {"/usr/lib/python3.11/json/decoder.py", 300 + thread.progress,
                                   absl::StrCat("step_", thread.progress)});
  if (statement.verb != Verb::kBlocked) return frames;
  switch (statement.blocked_on) {
    case BlockedOn::kLock:
      frames.insert(frames.begin(), {"/usr/lib/python3.11/threading.py", 320, "wait"});
      break;
    case BlockedOn::kIo:
      frames.insert(frames.begin(), {"/usr/lib/python3.11/socket.py", 706, "readinto"});
      break;
    case BlockedOn::kStore:
      frames.insert(frames.begin(),
                    {absl::StrCat(kPackages, "torch/distributed/distributed_c10d.py"),
                     kFrameworkLine, "_store_based_barrier"});
  }
  return frames;
}

std::uint32_t PythonCode::StackOf(const std::vector<Frame>& frames) {
  if (frames.empty()) return 0;
  std::vector<std::pair<std::uint32_t, int>> stack;
  for (const Frame& frame : frames) {
    const auto [found, is_new] = code_ids_.try_emplace({frame.file, frame.function}, code_.size());
    if (is_new) code_.push_back({frame.file, frame.function, {}});
    std::vector<int>& lines = code_[found->second].lines;
    auto line = std::find(lines.begin(), lines.end(), frame.line);
    if (line == lines.end()) line = lines.insert(lines.end(), frame.line);
    stack.emplace_back(static_cast<std::uint32_t>(found->second + 1),
                       static_cast<int>(line - lines.begin()));
  }
  const auto [found, is_new] =
      stack_ids_.try_emplace(stack, static_cast<std::uint32_t>(stacks_.size() + 1));
  if (is_new) stacks_.push_back(stack);
  return found->second;
}

void PythonCode::AddTo(TraceWriter& writer) const {
  for (std::size_t i = 0; i < code_.size(); ++i) {
    Definition definition;
    CodeObject* code = definition.mutable_code();
    code->set_id(static_cast<std::uint32_t>(i + 1));
    code->set_file(code_[i].file);
    code->set_function(code_[i].function);
    const int first = *std::min_element(code_[i].lines.begin(), code_[i].lines.end());
    code->set_first_line(static_cast<std::uint32_t>(first));
    code->set_line_table(LineTable(first, code_[i].lines));
    writer.AddDefinition(definition);
  }
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    Definition definition;
    PythonStack* stack = definition.mutable_python_stack();
    stack->set_id(static_cast<std::uint32_t>(i + 1));
    for (const auto& [code, unit] : stacks_[i]) {
      stack->add_code(code);
      stack->add_offset(2 * unit);
    }
    writer.AddDefinition(definition);
  }
}

}  // namespace rollcall::analyzer::scenario
