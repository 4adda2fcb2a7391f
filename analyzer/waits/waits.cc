#include "analyzer/waits/waits.h"

#include <algorithm>
#include <map>

#include "analyzer/waits/build_waits.h"

namespace rollcall::analyzer {

const Call* StuckIn(const Process& process) {
  const auto open = [&](const Call& call) { return IsUnfinished(process, call); };
  const auto kernel = [&](const Call& call) {
    return IsKernel(process, process.shapes[call.shape]);
  };
  const auto last = std::find_if(process.calls.rbegin(), process.calls.rend(), open);
  if (last == process.calls.rend()) return nullptr;
  const Operation operation = process.shapes[last->shape].operation;
  if (!kernel(*last) && operation != OPERATION_SYNC && operation != OPERATION_FINALIZE)
    return &*last;
  const auto first = std::find_if(process.calls.begin(), process.calls.end(),
                                  [&](const Call& call) { return kernel(call) && open(call); });
  return first == process.calls.end() ? &*last : &*first;
}

Waits::Waits(const Job& job, int incarnation, const std::vector<Ending>& endings,
             const std::vector<Start>& starts, const Pairs& pairs)
    : job_(job), hosts_(job.processes.size()), pending_(job.processes.size()) {
  WaitBuilder builder(job, incarnation, endings, starts, pairs, this);
  builder.Build();
  std::map<int, CallRef> calls;
  for (const std::vector<Pending>& of : pending_) {
    for (const Pending& pending : of)
      calls[pending.end] = pending.ref;
  }
  circles_ = FindCircles(job, graph_, calls, builder);
}

bool Waits::WaitsForOthers(int process, const Host& host) const {
  return std::any_of(host.waits_in.begin(), host.waits_in.end(), [&](std::int64_t call) {
    const Pending* pending = Find(process, call);
    return pending == nullptr || !pending->alone;
  });
}

bool Waits::Waiting(int process, int communicator) const {
  bool used = false;
  for (const Host& host : Hosts(process).hosts) {
    if (!std::binary_search(host.communicators.begin(), host.communicators.end(), communicator))
      continue;
    if (!WaitsForOthers(process, host)) return false;
    used = true;
  }
  if (used) return true;
  const std::vector<Host>& hosts = Hosts(process).hosts;
  return !hosts.empty() && std::all_of(hosts.begin(), hosts.end(), [&](const Host& host) {
    return WaitsForOthers(process, host);
  });
}

bool Waits::Waiting(int process) const {
  const std::vector<Host>& hosts = Hosts(process).hosts;
  return std::any_of(hosts.begin(), hosts.end(),
                     [](const Host& host) { return !host.waits_in.empty(); });
}

bool Waits::Queued(int process, std::int64_t call) const {
  const Pending* pending = Find(process, call);
  return pending != nullptr && pending->queued;
}

const Circle* Waits::CircleBehind(int communicator, std::int64_t position) const {
  if (circles_.empty()) return nullptr;
  std::vector<int> waiting;
  for (const Participant& member :
       job_.communicators[static_cast<std::size_t>(communicator)].members) {
    if (member.process < 0 || member.handle < 0) continue;
    const Process& process = job_.processes[static_cast<std::size_t>(member.process)];
    for (const Pending& pending : pending_[static_cast<std::size_t>(member.process)]) {
      const Call& call = process.calls[static_cast<std::size_t>(pending.ref.call)];
      if (process.shapes[call.shape].communicator == member.handle && call.position >= position)
        waiting.push_back(pending.end);
    }
  }
  if (waiting.empty()) return nullptr;
  const std::vector<int> reached = ReachedFrom(graph_, waiting);
  const auto found = std::find_if(circles_.begin(), circles_.end(), [&](const Circle& circle) {
    return std::binary_search(reached.begin(), reached.end(), circle.nodes.front());
  });
  return found == circles_.end() ? nullptr : &*found;
}

}  // namespace rollcall::analyzer
