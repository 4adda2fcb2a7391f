#include "analyzer/model/failed_start.h"

#include <algorithm>

namespace rollcall::analyzer {
namespace {

bool IsStart(const Process& process, const Call& call) {
  const Operation operation = process.shapes[call.shape].operation;
  return operation == OPERATION_RENDEZVOUS || operation == OPERATION_INIT;
}

const Stack* StackAt(const Process& process, int index) {
  const bool known = index >= 0 && static_cast<std::size_t>(index) < process.python_stacks.size();
  return known ? &process.python_stacks[static_cast<std::size_t>(index)] : nullptr;
}

// Both begin with the function that made the call. What handles the exception on its way out is in
// one of them only, so the outer frames are not compared.
bool CameOutOf(const Process& process, const Call& call) {
  const Stack* raised = StackAt(process, process.end.exception_stack);
  const Stack* made = StackAt(process, process.shapes[call.shape].python_stack);
  if (raised == nullptr || made == nullptr || raised->frames.empty() || made->frames.empty())
    return true;
  const Frame &a = raised->frames.front(), &b = made->frames.front();
  return a.file == b.file && a.function == b.function;
}

}  // namespace

void SetTextOfFailedStart(Process& process) {
  if (process.end.exception.empty() || process.calls.empty()) return;
  const auto last =
      std::max_element(process.calls.begin(), process.calls.end(),
                       [](const Call& a, const Call& b) { return a.entered_ns < b.entered_ns; });
  const bool has_text =
      last->error >= 0 && !process.texts[static_cast<std::size_t>(last->error)].empty();
  if (last->state != CallState::kFailed || has_text || !IsStart(process, *last) ||
      !CameOutOf(process, *last))
    return;
  process.texts.push_back(process.end.exception);
  last->error = static_cast<int>(process.texts.size()) - 1;
}

}  // namespace rollcall::analyzer
