#include "analyzer/model/shrinks.h"

#include <algorithm>
#include <optional>

namespace rollcall::analyzer {
namespace {

bool IsShrink(const Shape& shape) {
  return shape.operation == OPERATION_SHRINK && !shape.excluded.empty();
}

// The first one from a position on.
std::optional<Shrink> NextShrink(const Job& job, const Communicator& communicator,
                                 std::int64_t from) {
  std::optional<Shrink> next;
  for (const Participant& member : communicator.members) {
    if (member.process < 0) continue;
    const Process& process = job.processes[static_cast<std::size_t>(member.process)];
    if (std::none_of(process.shapes.begin(), process.shapes.end(), IsShrink)) continue;
    for (const std::int64_t index : member.calls) {
      const Call& call = process.calls[static_cast<std::size_t>(index)];
      const Shape& shape = process.shapes[call.shape];
      if (call.position < from || !IsShrink(shape)) continue;
      if (!next.has_value() || call.position < next->position)
        next = Shrink{call.position, shape.excluded};
      break;
    }
  }
  if (next.has_value()) std::sort(next->excluded.begin(), next->excluded.end());
  return next;
}

}  // namespace

void MakeRoomForShrinks(Job& job) {
  for (Communicator& communicator : job.communicators) {
    std::int64_t from = 0;
    while (std::optional<Shrink> shrink = NextShrink(job, communicator, from)) {
      from = shrink->position + 1;
      communicator.shrinks.push_back(*std::move(shrink));
      for (Participant& member : communicator.members) {
        if (member.process < 0 || !communicator.Excludes(member.rank, from - 1)) continue;
        for (const std::int64_t index : member.calls) {
          Call& call = job.processes[static_cast<std::size_t>(member.process)]
                           .calls[static_cast<std::size_t>(index)];
          if (call.position >= from - 1) ++call.position;
        }
      }
    }
  }
}

}  // namespace rollcall::analyzer
