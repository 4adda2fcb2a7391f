#include "analyzer/align/captures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/align/sequences.h"

namespace rollcall::analyzer {
namespace {

const Process& ProcessOf(const Job& job, const Participant& member) {
  return job.processes[static_cast<std::size_t>(member.process)];
}

bool IsReplayed(const Shape& shape) {
  return (shape.flags & FLAG_REPLAYED) != 0;
}

}  // namespace

bool AnyReplays(const Job& job, int communicator) {
  const std::vector<Participant>& members =
      job.communicators[static_cast<std::size_t>(communicator)].members;
  return std::any_of(members.begin(), members.end(), [&](const Participant& member) {
    if (member.process < 0) return false;
    const std::vector<Shape>& shapes = ProcessOf(job, member).shapes;
    return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
      return shape.communicator == member.handle && IsReplayed(shape);
    });
  });
}

std::vector<Group> GroupsByCapture(const Job& job, int communicator, std::int64_t position,
                                   const CallClasses& classes) {
  const std::vector<Participant>& members =
      job.communicators[static_cast<std::size_t>(communicator)].members;
  std::array<Group, 2> groups;  // directly, by a replay
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Call* call = CallAt(job, members[m], position);
    if (call == nullptr) continue;
    Group& group = groups[IsReplayed(ProcessOf(job, members[m]).shapes[call->shape]) ? 1 : 0];
    if (group.members.empty()) group.call_class = classes.Of(members[m].process, *call);
    group.members.push_back(static_cast<int>(m));
  }
  if (groups[0].members.empty() || groups[1].members.empty()) return {};
  const auto before = [](const Group& a, const Group& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size()
                                                : a.members < b.members;
  };
  if (before(groups[1], groups[0])) std::swap(groups[0], groups[1]);
  return {groups.begin(), groups.end()};
}

}  // namespace rollcall::analyzer
