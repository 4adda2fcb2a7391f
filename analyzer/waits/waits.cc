#include "analyzer/waits/waits.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rollcall::analyzer {
namespace {

bool IsPointToPoint(Operation operation) {
  return operation == OPERATION_SEND || operation == OPERATION_RECV;
}

}  // namespace

int PartnerOf(const Job& job, const Process& process, const Call& call) {
  const Shape& shape = process.shapes[call.shape];
  if (!IsPointToPoint(shape.operation) || shape.communicator < 0 || call.peer < 0) return -1;
  const int communicator =
      process.communicators[static_cast<std::size_t>(shape.communicator)].communicator;
  if (communicator < 0) return -1;
  for (const Participant& member :
       job.communicators[static_cast<std::size_t>(communicator)].members) {
    if (member.rank == call.peer) return member.process;
  }
  return -1;
}

bool MeetsPartner(const Process& process, const Call& call, const Process& partner) {
  const Call* other = StuckIn(partner);
  if (other == nullptr) return false;
  const Operation here = process.shapes[call.shape].operation,
                  there = partner.shapes[other->shape].operation;
  return IsPointToPoint(there) && here != there;
}

const Call* StuckIn(const Process& process) {
  // The last unfinished call is the one the host is in: earlier ones may have been started and left
  // to themselves.
  for (auto call = process.calls.rbegin(); call != process.calls.rend(); ++call) {
    if (IsUnfinished(process, *call)) return &*call;
  }
  return nullptr;
}

bool Waits::Waiting(int process) const {
  return std::any_of(edges.begin(), edges.end(),
                     [&](const WaitEdge& edge) { return edge.from == process; });
}

Waits BuildWaits(const Job& job, const std::vector<Absence>& absences,
                 const std::vector<Ending>& endings) {
  Waits waits;
  waits.processes = static_cast<int>(job.processes.size());
  std::set<std::pair<int, int>> edges;
  for (const Absence& absence : absences) {
    const std::vector<Participant>& members =
        job.communicators[static_cast<std::size_t>(absence.communicator)].members;
    for (const int m : absence.present) {
      const Participant& waiter = members[static_cast<std::size_t>(m)];
      const Process& process = job.processes[static_cast<std::size_t>(waiter.process)];
      // Who got out of all its calls does not wait here.
      const bool waits_here =
          std::any_of(waiter.calls.rbegin(), waiter.calls.rend(), [&](std::int64_t index) {
            const Call& call = process.calls[static_cast<std::size_t>(index)];
            return call.position >= absence.position && IsUnfinished(process, call);
          });
      if (!waits_here || endings[static_cast<std::size_t>(waiter.process)].own()) continue;
      for (const int missing : absence.absent)
        edges.insert({waiter.process, members[static_cast<std::size_t>(missing)].process});
    }
  }
  for (std::size_t p = 0; p < job.processes.size(); ++p) {
    const Process& process = job.processes[p];
    if (endings[p].own()) continue;
    const Call* call = StuckIn(process);
    if (call == nullptr || !IsPointToPoint(process.shapes[call->shape].operation)) continue;
    const int partner = PartnerOf(job, process, *call);
    if (partner >= 0 &&
        !MeetsPartner(process, *call, job.processes[static_cast<std::size_t>(partner)]))
      edges.insert({static_cast<int>(p), partner});
  }
  for (const auto& [from, to] : edges)
    waits.edges.push_back({from, to});
  waits.cycles = WaitCycles(waits.processes, waits.edges);
  return waits;
}

}  // namespace rollcall::analyzer
