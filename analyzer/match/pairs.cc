#include "analyzer/match/pairs.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/match/ending.h"

namespace rollcall::analyzer {
namespace {

// Communicator, source, destination (ranks in it), tag.
using Lane = std::tuple<int, int, int, std::int64_t>;

struct Ends {
  std::vector<CallRef> sends, recvs;  // call: index in Pairs::Of
};

bool HasPointToPoint(const Process& process) {
  return std::any_of(process.shapes.begin(), process.shapes.end(),
                     [](const Shape& shape) { return IsPointToPoint(shape.operation); });
}

bool TakesPart(const Shape& shape, const Call& call) {
  return IsPointToPoint(shape.operation) && shape.communicator >= 0 &&
         (shape.flags & (FLAG_CAPTURED | FLAG_INTERNAL)) == 0 &&
         call.state != CallState::kDiscarded;
}

int ProcessOfRank(const Communicator& communicator, int rank) {
  const auto found =
      std::lower_bound(communicator.members.begin(), communicator.members.end(), rank,
                       [](const Participant& member, int wanted) { return member.rank < wanted; });
  return found == communicator.members.end() || found->rank != rank ? -1 : found->process;
}

}  // namespace

bool IsPointToPoint(Operation operation) {
  return operation == OPERATION_SEND || operation == OPERATION_RECV;
}

Pairs::Pairs(const Job& job, int incarnation) : job_(job), ends_(job.processes.size()) {
  absl::flat_hash_map<Lane, Ends> lanes;
  for (const int p : job.incarnations[static_cast<std::size_t>(incarnation)].processes) {
    const Process& process = job.processes[static_cast<std::size_t>(p)];
    if (!HasPointToPoint(process)) continue;
    std::vector<PairEnd>& mine = ends_[static_cast<std::size_t>(p)];
    for (std::size_t i = 0; i < process.calls.size(); ++i) {
      const Call& call = process.calls[i];
      const Shape& shape = process.shapes[call.shape];
      if (!TakesPart(shape, call)) continue;
      const CommunicatorHandle& handle =
          process.communicators[static_cast<std::size_t>(shape.communicator)];
      if (handle.communicator < 0) continue;
      const Communicator& of = job.communicators[static_cast<std::size_t>(handle.communicator)];
      const CallRef ref{p, static_cast<std::int64_t>(mine.size())};
      mine.push_back({static_cast<std::int64_t>(i), ProcessOfRank(of, call.peer), {}});
      if (call.peer < 0) continue;
      // NCCL knows no tags.
      const std::int64_t tag = of.library == LIBRARY_NCCL ? 0 : call.tag;
      const bool sends = shape.operation == OPERATION_SEND;
      Ends& ends = lanes[{handle.communicator, sends ? handle.rank : call.peer,
                          sends ? call.peer : handle.rank, tag}];
      (sends ? ends.sends : ends.recvs).push_back(ref);
    }
  }
  const auto at = [&](const CallRef& ref) -> PairEnd& {
    return ends_[static_cast<std::size_t>(ref.process)][static_cast<std::size_t>(ref.call)];
  };
  const auto completed = [&](const std::vector<CallRef>& refs) {
    return std::count_if(refs.begin(), refs.end(), [&](const CallRef& ref) {
      return job.processes[static_cast<std::size_t>(ref.process)]
                 .calls[static_cast<std::size_t>(at(ref).call)]
                 .state == CallState::kCompleted;
    });
  };
  for (const auto& [lane, ends] : lanes) {
    if (ends.sends.empty() || ends.recvs.empty()) continue;
    // Of calls whose beginning is not in the traces, as many have ended on both sides.
    const bool from_the_first =
        Complete(ends.sends.front().process) && Complete(ends.recvs.front().process);
    const std::ptrdiff_t ahead = from_the_first ? 0 : completed(ends.sends) - completed(ends.recvs);
    std::size_t s = ahead > 0 ? static_cast<std::size_t>(ahead) : 0;
    std::size_t r = ahead < 0 ? static_cast<std::size_t>(-ahead) : 0;
    for (; s < ends.sends.size() && r < ends.recvs.size(); ++s, ++r) {
      PairEnd &send = at(ends.sends[s]), &recv = at(ends.recvs[r]);
      send.other = {ends.recvs[r].process, recv.call};
      recv.other = {ends.sends[s].process, send.call};
    }
  }
}

const PairEnd* Pairs::Find(int process, std::int64_t call) const {
  const std::vector<PairEnd>& ends = Of(process);
  const auto found =
      std::lower_bound(ends.begin(), ends.end(), call,
                       [](const PairEnd& end, std::int64_t wanted) { return end.call < wanted; });
  return found == ends.end() || found->call != call ? nullptr : &*found;
}

const PairEnd* Pairs::Unmet(int process, int peer, Operation operation) const {
  const Process& of = job_.processes[static_cast<std::size_t>(process)];
  const std::vector<PairEnd>& ends = Of(process);
  const auto found = std::find_if(ends.begin(), ends.end(), [&](const PairEnd& end) {
    const Call& call = of.calls[static_cast<std::size_t>(end.call)];
    return end.partner == peer && end.other.call < 0 && IsUnfinished(of, call) &&
           of.shapes[call.shape].operation == operation;
  });
  return found == ends.end() ? nullptr : &*found;
}

bool Pairs::Complete(int process) const {
  const Process& of = job_.processes[static_cast<std::size_t>(process)];
  return of.first_row == 0 && of.lost_rows == 0;
}

}  // namespace rollcall::analyzer
