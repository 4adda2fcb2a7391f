#include "analyzer/match/start.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/match/absence.h"

namespace rollcall::analyzer {
namespace {

void AddUp(const Job& job, Start* start) {
  std::set<std::uint64_t> sizes;
  std::set<int> ranks;
  for (const StartCall& of : start->calls) {
    const Process& process = job.processes[static_cast<std::size_t>(of.process)];
    sizes.insert(of.call->count);
    ranks.insert(process.rank);
    if (!IsUnfinished(process, *of.call) && of.call->state != CallState::kFailed) continue;
    start->waiting = true;
    start->waited_ns = std::max(start->waited_ns, NsInCall(job, of.process, *of.call));
    if (of.call->state == CallState::kFailed) start->gave_up = true;
  }
  start->size =
      std::max(start->size, static_cast<int>(std::min<std::uint64_t>(*sizes.rbegin(), 1U << 24)));
  start->sizes_differ = sizes.size() > 1;
  if (start->communicator >= 0) {
    std::set<int> here;
    for (const StartCall& of : start->calls)
      here.insert(of.process);
    for (const Participant& member :
         job.communicators[static_cast<std::size_t>(start->communicator)].members) {
      if (here.count(member.process) == 0 && member.global_rank >= 0)
        start->absent.push_back(member.global_rank);
    }
    start->unnamed = std::max(0, start->size - static_cast<int>(start->calls.size()) -
                                     static_cast<int>(start->absent.size()));
    return;
  }
  for (int rank = 0; rank < start->size; ++rank) {
    if (ranks.count(rank) == 0) start->absent.push_back(rank);
  }
}

}  // namespace

std::vector<Start> FindStarts(const Job& job, int incarnation) {
  std::map<int, std::map<int, const Call*>>
      calls;  // by communicator and process; the last one counts
  for (const int p : job.incarnations[static_cast<std::size_t>(incarnation)].processes) {
    const Process& process = job.processes[static_cast<std::size_t>(p)];
    for (const Call& call : process.calls) {
      const Shape& shape = process.shapes[call.shape];
      if (shape.operation == OPERATION_RENDEZVOUS) {
        calls[-1][p] = &call;
      } else if (shape.operation == OPERATION_INIT && shape.communicator >= 0) {
        const int communicator =
            process.communicators[static_cast<std::size_t>(shape.communicator)].communicator;
        if (communicator >= 0) calls[communicator][p] = &call;
      }
    }
  }
  std::vector<Start> starts;
  for (const auto& [communicator, by_process] : calls) {
    Start start;
    start.communicator = communicator;
    for (const auto& [process, call] : by_process)
      start.calls.push_back({process, call});
    AddUp(job, &start);
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace rollcall::analyzer
