#include "analyzer/align/sequences.h"

#include <algorithm>

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kWindow = 1024;

const Process& ProcessOf(const Job& job, const Participant& member) {
  return job.processes[static_cast<std::size_t>(member.process)];
}

// NCCL's calls are queued, and the host goes on; it waits in others.
bool IsBlocked(const Process& process) {
  if (process.calls.empty()) return false;
  const CallState state = process.calls.back().state;
  if (state == CallState::kCompleted || state == CallState::kUnwatched) return false;
  const Shape& shape = process.shapes[process.calls.back().shape];
  if ((shape.flags & FLAG_ASYNC) != 0) return false;
  return shape.operation >= OPERATION_INIT || shape.communicator < 0 ||
         process.communicators[static_cast<std::size_t>(shape.communicator)].library !=
             LIBRARY_NCCL;
}

}  // namespace

const Call* CallAt(const Job& job, const Participant& member, std::int64_t position) {
  if (member.process < 0 || member.calls.empty() || position < member.first_position)
    return nullptr;
  const std::vector<Call>& calls = ProcessOf(job, member).calls;
  const auto at = [&](std::size_t i) { return &calls[static_cast<std::size_t>(member.calls[i])]; };
  const auto index = static_cast<std::size_t>(position - member.first_position);
  if (index < member.calls.size() && at(index)->position == position) return at(index);
  // A damaged block left a gap.
  const auto found =
      std::lower_bound(member.calls.begin(), member.calls.end(), position,
                       [&](std::int64_t call, std::int64_t wanted) {
                         return calls[static_cast<std::size_t>(call)].position < wanted;
                       });
  if (found == member.calls.end()) return nullptr;
  const Call* call = &calls[static_cast<std::size_t>(*found)];
  return call->position == position ? call : nullptr;
}

std::int64_t EndPosition(const Job& job, const Participant& member) {
  if (member.process < 0 || member.calls.empty()) return member.first_position;
  return ProcessOf(job, member).calls[static_cast<std::size_t>(member.calls.back())].position + 1;
}

CallSequence SequenceFrom(const Job& job, const Participant& member, std::int64_t position,
                          const CallClasses& classes, const SiteTable& sites) {
  CallSequence sequence;
  sequence.begin = position;
  const std::int64_t end = EndPosition(job, member);
  std::int64_t at = position;
  for (; at < std::min(end, position + kWindow); ++at) {
    const Call* call = CallAt(job, member, at);
    if (call == nullptr) break;
    // With it the member's part is over.
    if (ProcessOf(job, member).shapes[call->shape].operation == OPERATION_FINALIZE) {
      sequence.left = true;
      break;
    }
    sequence.classes.push_back(classes.Of(member.process, *call));
    const int site = sites.OfCall(member.process, *call);
    sequence.places.push_back(site == kNoSite ? kNoSite : sites.PlaceOf(site));
  }
  sequence.ends = sequence.left || at == end;
  if (!sequence.ends) sequence.rest = end - at;
  if (member.process < 0) return sequence;
  sequence.blocked = !sequence.left && IsBlocked(ProcessOf(job, member));
  // A shape is written with its first call.
  for (std::uint32_t shape = 0; shape < ProcessOf(job, member).shapes.size(); ++shape) {
    const int site = sites.OfShape(member.process, shape);
    if (site != kNoSite) sequence.known_places.insert(sites.PlaceOf(site));
  }
  return sequence;
}

}  // namespace rollcall::analyzer
