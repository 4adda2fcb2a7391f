#include "analyzer/match/leaving.h"

#include <algorithm>

namespace rollcall::analyzer {
namespace {

// Whoever aborts after less had not waited for its call.
constexpr std::int64_t kPatienceNs = 1'000'000'000;

bool Ends(Operation operation) {
  return operation == OPERATION_FINALIZE || operation == OPERATION_DESTROY ||
         operation == OPERATION_ABORT;
}

}  // namespace

Leave LeaveOf(const Process& process, int handle) {
  if (handle < 0) return {};
  const CommunicatorHandle& of = process.communicators[static_cast<std::size_t>(handle)];
  const bool has_call = std::any_of(
      process.shapes.begin(), process.shapes.end(),
      [&](const Shape& shape) { return shape.communicator == handle && Ends(shape.operation); });
  std::int64_t waits_since = 0;  // in a call that does not end; 0 = in none
  for (const Call& call : process.calls) {
    if (!has_call) break;
    const Shape& shape = process.shapes[call.shape];
    if (shape.communicator != handle) continue;
    if (!Ends(shape.operation)) {
      const bool open = call.state == CallState::kPending || call.state == CallState::kAborted;
      if (open && waits_since == 0) waits_since = call.entered_ns;
      continue;
    }
    switch (shape.operation) {
      case OPERATION_FINALIZE:
        return {LeaveKind::kFinalized, &call};
      case OPERATION_DESTROY:
        return {LeaveKind::kDestroyed, &call};
      default:
        return {waits_since != 0 && call.entered_ns - waits_since >= kPatienceNs
                    ? LeaveKind::kGaveUp
                    : LeaveKind::kAborted,
                &call};
    }
  }
  return {of.gone_ns != 0 ? LeaveKind::kGone : LeaveKind::kNot, nullptr};
}

}  // namespace rollcall::analyzer
