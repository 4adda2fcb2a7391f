#include "analyzer/waits/build_waits.h"

#include <algorithm>

#include "analyzer/align/align.h"
#include "analyzer/match/absence.h"

namespace rollcall::analyzer {
namespace {

using Needs = WaitGraph::Needs;

bool IsFirstToRoot(Operation operation) {
  return operation == OPERATION_BROADCAST || operation == OPERATION_SCATTER;
}

// A group that ends with the exception of a call that waited was not left before that call.
bool LeftGroup(const Process& process, const HostsOfProcess& hosts, const Participant& member) {
  if (member.handle < 0) return false;
  const std::int64_t gone_ns =
      process.communicators[static_cast<std::size_t>(member.handle)].gone_ns;
  return gone_ns != 0 &&
         std::none_of(hosts.hosts.begin(), hosts.hosts.end(), [&](const Host& host) {
           return std::any_of(host.waits_in.begin(), host.waits_in.end(), [&](std::int64_t call) {
             return process.calls[static_cast<std::size_t>(call)].entered_ns < gone_ns;
           });
         });
}

}  // namespace

WaitBuilder::WaitBuilder(const Job& job, int incarnation, const std::vector<Ending>& endings,
                         const std::vector<Start>& starts, const Pairs& pairs, Waits* waits)
    : job_(job),
      incarnation_(incarnation),
      endings_(endings),
      starts_(starts),
      pairs_(pairs),
      waits_(*waits),
      host_nodes_(job.processes.size()) {}

int WaitBuilder::CommunicatorOf(int index, const Shape& shape) const {
  if (shape.communicator < 0) return -1;
  return process(index).communicators[static_cast<std::size_t>(shape.communicator)].communicator;
}

int WaitBuilder::Gone() {
  if (gone_ < 0) gone_ = waits_.graph_.Add(Needs::kNothing, false);
  return gone_;
}

int WaitBuilder::Caller(int index, int communicator) {
  if (Ended(index)) return Gone();
  const auto [found, is_new] = callers_.try_emplace({index, communicator}, 0);
  if (!is_new) return found->second;
  const std::vector<Host>& hosts = waits_.Hosts(index).hosts;
  std::vector<int> nodes;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    if (std::binary_search(hosts[host].communicators.begin(), hosts[host].communicators.end(),
                           communicator))
      nodes.push_back(host_nodes_[static_cast<std::size_t>(index)][host]);
  }
  if (nodes.empty()) nodes = host_nodes_[static_cast<std::size_t>(index)];
  if (nodes.size() == 1) return found->second = nodes.front();
  const int any = waits_.graph_.Add(Needs::kAny, false);
  for (const int node : nodes)
    Edge(any, node);
  return found->second = any;
}

void WaitBuilder::AddNodes(int index) {
  const HostsOfProcess& of = waits_.Hosts(index);
  for (std::size_t host = 0; host < of.hosts.size(); ++host)
    host_nodes_[static_cast<std::size_t>(index)].push_back(waits_.graph_.Add(Needs::kAll, false));
  if (Ended(index)) return;
  for (const std::int64_t call : of.unfinished) {
    waits_.pending_[static_cast<std::size_t>(index)].push_back(
        {{index, call},
         waits_.graph_.Add(Needs::kAll, false),
         waits_.graph_.Add(Needs::kAll, true),
         false});
  }
  for (std::size_t host = 0; host < of.hosts.size(); ++host) {
    for (const std::int64_t call : of.hosts[host].waits_in)
      Edge(host_nodes_[static_cast<std::size_t>(index)][host], waits_.Find(index, call)->end);
  }
}

// What is ahead of a call: the kernels before it on its stream, and on its communicator over all
// streams. Calls of one group have their turn together.
void WaitBuilder::AddTurns(int index) {
  const Process& of = process(index);
  struct Queue {
    std::vector<const Waits::Pending*> last, before;  // the last group, and the one before it
    std::uint32_t group = 0;
  };
  std::map<std::pair<bool, int>, Queue> queues;  // of a stream or a communicator
  for (Waits::Pending& pending : waits_.pending_[static_cast<std::size_t>(index)]) {
    const Call& call = of.calls[static_cast<std::size_t>(pending.ref.call)];
    const Shape& shape = of.shapes[call.shape];
    const bool kernel = IsKernel(of, shape);
    const bool finalizes = shape.operation == OPERATION_FINALIZE;
    Edge(pending.end, pending.turn);
    if (!kernel && !finalizes) {
      turns_that_came_.insert(pending.turn);
      continue;
    }
    const auto host = static_cast<std::size_t>(waits_.Hosts(index).of_shape[call.shape]);
    if (kernel && call.started_ns == 0 && call.group != 0 &&
        waits_.Hosts(index).hosts[host].open_groups > 0) {
      // Whoever opened the group has to close it.
      pending.queued = true;
      Edge(pending.turn, host_nodes_[static_cast<std::size_t>(index)][host]);
      continue;
    }
    const auto join = [&](bool is_stream, int number) {
      Queue& queue = queues[{is_stream, number}];
      if (queue.last.empty() || call.group == 0 || call.group != queue.group) {
        queue.before = std::move(queue.last);
        queue.last.clear();
        queue.group = call.group;
      }
      for (const Waits::Pending* ahead : queue.before) {
        pending.queued = true;
        Edge(pending.turn, ahead->end);
      }
      // What was given up is in nobody's way.
      if (call.state == CallState::kPending) queue.last.push_back(&pending);
    };
    if (kernel && shape.stream > 0) join(true, shape.stream);
    join(false, shape.communicator);
    if (!pending.queued) turns_that_came_.insert(pending.turn);
  }
}

const Waits::Pending* Waits::Find(int process, std::int64_t call) const {
  const std::vector<Pending>& all = pending_[static_cast<std::size_t>(process)];
  const auto found = std::lower_bound(
      all.begin(), all.end(), call,
      [](const Pending& pending, std::int64_t wanted) { return pending.ref.call < wanted; });
  return found == all.end() || found->ref.call != call ? nullptr : &*found;
}

int WaitBuilder::NodeOfMember(int communicator, const Participant& member, std::int64_t position,
                              bool finalizes) {
  if (member.process < 0 || BreaksOff(member.process)) return -1;
  const Process& of = process(member.process);
  const Call* call = CallAt(job_, member, position);
  if (call == nullptr) {
    if (EndPosition(job_, member) > position) return -1;
    if (Ended(member.process) || LeftGroup(of, waits_.Hosts(member.process), member)) return Gone();
    return Caller(member.process, communicator);
  }
  const bool leaves = of.shapes[call->shape].operation == OPERATION_FINALIZE;
  if (leaves && !finalizes) return Gone();
  if (!leaves && finalizes) return Caller(member.process, communicator);
  if (!IsUnfinished(of, *call)) return -1;
  if (Ended(member.process)) return Gone();
  return waits_.Find(member.process, call - of.calls.data())->turn;
}

// A turn that has come is no reason to wait.
bool WaitBuilder::IsBusy(int node) const {
  return turns_that_came_.count(node) == 0;
}

int WaitBuilder::MeetingOf(int communicator, const Call& call, const Shape& shape, int rank) {
  const Communicator& of = job_.communicators[static_cast<std::size_t>(communicator)];
  const std::vector<Participant>& members = of.members;
  const bool finalizes = shape.operation == OPERATION_FINALIZE;
  bool root_only = false;
  if (IsFirstToRoot(shape.operation) && shape.root.has_value() && *shape.root != rank) {
    // Who takes from the root waits for it first of all.
    const auto root = std::lower_bound(
        members.begin(), members.end(), *shape.root,
        [](const Participant& member, int wanted) { return member.rank < wanted; });
    if (root != members.end() && root->rank == *shape.root) {
      const int node = NodeOfMember(communicator, *root, call.position, finalizes);
      root_only = node >= 0 && IsBusy(node);
    }
  }
  const auto [found, is_new] =
      meetings_.try_emplace({communicator, call.position, finalizes, root_only});
  Meeting& meeting = found->second;
  if (!is_new) return meeting.node;
  meeting.node = waits_.graph_.Add(Needs::kAll, false);
  for (const Participant& member : members) {
    if (of.Excludes(member.rank, call.position)) continue;
    const int node = NodeOfMember(communicator, member, call.position, finalizes);
    if (node < 0) continue;
    if (!root_only || member.rank == *shape.root) Edge(meeting.node, node);
    if (IsBusy(node)) meeting.targets.push_back({node, member.process});
  }
  return meeting.node;
}

const WaitBuilder::Meeting* WaitBuilder::FindMeeting(int communicator,
                                                     std::int64_t position) const {
  const auto found = meetings_.lower_bound({communicator, position, false, false});
  if (found == meetings_.end() || std::get<0>(found->first) != communicator ||
      std::get<1>(found->first) != position)
    return nullptr;
  return &found->second;
}

int WaitBuilder::StartMeeting(const Start& start) {
  const auto [found, is_new] = starts_met_.try_emplace(&start, 0);
  if (!is_new) return found->second;
  const int node = found->second = waits_.graph_.Add(Needs::kAll, false);
  std::set<int> there;
  for (const StartCall& of : start.calls)
    there.insert(of.process);
  const std::set<int> wanted(start.absent.begin(), start.absent.end());
  for (const int index : job_.incarnations[static_cast<std::size_t>(incarnation_)].processes) {
    if (there.count(index) == 0 && wanted.count(process(index).rank) != 0 && !BreaksOff(index))
      Edge(node, Caller(index, start.communicator));
  }
  return node;
}

void WaitBuilder::AddPeer(int index, const Waits::Pending& pending, const PairEnd& end) {
  const Process& of = process(index);
  const Call& call = of.calls[static_cast<std::size_t>(end.call)];
  const Shape& shape = of.shapes[call.shape];
  const int communicator = CommunicatorOf(index, shape);
  if (call.peer == -1) {
    const int any = waits_.graph_.Add(Needs::kAny, false);
    Edge(pending.end, any);
    for (const Participant& member :
         job_.communicators[static_cast<std::size_t>(communicator)].members) {
      if (member.process == index) continue;
      if (member.process < 0) {
        Edge(any, waits_.graph_.Add(Needs::kAll, false));  // not visible: it may come
        continue;
      }
      const PairEnd* send = pairs_.Unmet(member.process, index, OPERATION_SEND);
      const Waits::Pending* waiting =
          send == nullptr ? nullptr : waits_.Find(member.process, send->call);
      Edge(any, waiting != nullptr ? waiting->turn : Caller(member.process, communicator));
    }
    return;
  }
  if (end.partner < 0 || BreaksOff(end.partner)) return;
  if (end.other.call >= 0) {
    const Waits::Pending* other = waits_.Find(end.other.process, end.other.call);
    if (other != nullptr) Edge(pending.end, other->turn);
    if (other == nullptr && Ended(end.partner)) Edge(pending.end, Gone());
    return;
  }
  // They face each other and do not fit: nobody's wait is for the other's host.
  const Operation fits = shape.operation == OPERATION_SEND ? OPERATION_RECV : OPERATION_SEND;
  if (pairs_.Unmet(end.partner, index, fits) != nullptr) return;
  Edge(pending.end, Caller(end.partner, communicator));
}

// The host waits for everything before it, or for what is on one stream.
void WaitBuilder::AddSync(int index, const Waits::Pending& pending) {
  const Process& of = process(index);
  const Shape& sync = of.shapes[of.calls[static_cast<std::size_t>(pending.ref.call)].shape];
  for (const Waits::Pending& ahead : waits_.pending_[static_cast<std::size_t>(index)]) {
    if (ahead.ref.call >= pending.ref.call) break;
    const Call& call = of.calls[static_cast<std::size_t>(ahead.ref.call)];
    const Shape& shape = of.shapes[call.shape];
    if (!IsKernel(of, shape) || (call.group != 0 && call.started_ns == 0)) continue;
    if (sync.stream == 0 || shape.stream == sync.stream) Edge(pending.end, ahead.end);
  }
}

void WaitBuilder::AddEnd(int index, const Waits::Pending& pending) {
  const Process& of = process(index);
  const Call& call = of.calls[static_cast<std::size_t>(pending.ref.call)];
  const Shape& shape = of.shapes[call.shape];
  if (shape.operation == OPERATION_SYNC) {
    AddSync(index, pending);
    return;
  }
  if (const PairEnd* end = pairs_.Find(index, pending.ref.call); end != nullptr) {
    AddPeer(index, pending, *end);
    return;
  }
  if (shape.operation == OPERATION_INIT || shape.operation == OPERATION_RENDEZVOUS) {
    const int communicator = CommunicatorOf(index, shape);
    for (const Start& start : starts_) {
      if (start.communicator == communicator) Edge(pending.end, StartMeeting(start));
    }
    return;
  }
  const int communicator = CommunicatorOf(index, shape);
  if (communicator < 0 || call.position < 0) return;
  const int rank = of.communicators[static_cast<std::size_t>(shape.communicator)].rank;
  Edge(pending.end, MeetingOf(communicator, call, shape, rank));
}

void WaitBuilder::Build() {
  const std::vector<int>& processes =
      job_.incarnations[static_cast<std::size_t>(incarnation_)].processes;
  for (const int index : processes)
    waits_.hosts_[static_cast<std::size_t>(index)] = FindHosts(process(index));
  for (const int index : processes)
    AddNodes(index);
  for (const int index : processes)
    AddTurns(index);
  for (const int index : processes) {
    for (Waits::Pending& pending : waits_.pending_[static_cast<std::size_t>(index)]) {
      const std::size_t edges = waits_.graph_.edges.size();
      AddEnd(index, pending);
      pending.alone = edges == waits_.graph_.edges.size() && !pending.queued &&
                      pairs_.Find(index, pending.ref.call) == nullptr;
    }
  }
}

}  // namespace rollcall::analyzer
