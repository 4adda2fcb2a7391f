#include "analyzer/waits/hosts.h"

#include <algorithm>

#include "analyzer/match/ending.h"

namespace rollcall::analyzer {
namespace {

// What a host did last.
struct Tail {
  std::int64_t last = -1;        // its last call
  std::int64_t unfinished = -1;  // its last unfinished one that is no kernel
  bool launched_behind = false;  // it queued a kernel since then, so it went on
};

// A backward pass runs on threads of its own, and whoever started it waits for them: they are one.
int ThreadOf(const Shape& shape) {
  return shape.initiator_stack >= 0 || shape.thread < 0 ? 0 : shape.thread;
}

void SetWaits(const Process& process, const std::vector<std::int64_t>& unfinished, const Tail& tail,
              Host* host) {
  if (tail.last < 0) return;
  const auto at = [&](std::int64_t index) -> const Call& {
    return process.calls[static_cast<std::size_t>(index)];
  };
  const Call& last = at(tail.last);
  if (IsKernel(process, process.shapes[last.shape])) {
    // Inside of the launch itself, which is that of the whole group: nothing is launched before.
    if (last.state != CallState::kPending || last.started_ns != 0 || host->open_groups > 0) return;
    host->waits_in = {tail.last};
    for (const std::int64_t index : unfinished) {
      if (last.group != 0 && index != tail.last && at(index).group == last.group)
        host->waits_in.push_back(index);
    }
    return;
  }
  if (tail.unfinished < 0 || tail.launched_behind) return;
  const Call& open = at(tail.unfinished);
  // A call that failed has returned.
  if (open.state != CallState::kPending && tail.unfinished != tail.last) return;
  // In the end of its groups it is in their launch: they are closed.
  if (process.shapes[open.shape].operation == OPERATION_GROUP_END) host->open_groups = 0;
  host->waits_in = {tail.unfinished};
  for (const std::int64_t index : unfinished) {
    if (open.group != 0 && index != tail.unfinished && at(index).group == open.group)
      host->waits_in.push_back(index);
  }
}

}  // namespace

bool IsKernel(const Process& process, const Shape& shape) {
  return shape.communicator >= 0 && shape.operation < OPERATION_INIT &&
         process.communicators[static_cast<std::size_t>(shape.communicator)].library ==
             LIBRARY_NCCL;
}

HostsOfProcess FindHosts(const Process& process) {
  HostsOfProcess of;
  const std::size_t threads = std::max<std::size_t>(1, process.threads.size());
  of.hosts.resize(threads);
  for (const Shape& shape : process.shapes) {
    const int host = std::min(ThreadOf(shape), static_cast<int>(threads) - 1);
    of.of_shape.push_back(host);
    if (shape.communicator < 0) continue;
    std::vector<int>& used = of.hosts[static_cast<std::size_t>(host)].communicators;
    const int communicator =
        process.communicators[static_cast<std::size_t>(shape.communicator)].communicator;
    const auto place = std::lower_bound(used.begin(), used.end(), communicator);
    if (place == used.end() || *place != communicator) used.insert(place, communicator);
  }
  std::vector<Tail> tails(threads);
  for (std::size_t i = 0; i < process.calls.size(); ++i) {
    const Call& call = process.calls[i];
    const Shape& shape = process.shapes[call.shape];
    Tail& tail = tails[static_cast<std::size_t>(of.of_shape[call.shape])];
    tail.last = static_cast<std::int64_t>(i);
    Host& host = of.hosts[static_cast<std::size_t>(of.of_shape[call.shape])];
    if (shape.operation == OPERATION_GROUP_START) ++host.open_groups;
    if (shape.operation == OPERATION_GROUP_END && call.state == CallState::kCompleted)
      --host.open_groups;
    const bool finished = call.state == CallState::kCompleted || !IsUnfinished(process, call);
    if (!finished) of.unfinished.push_back(tail.last);
    if (IsKernel(process, shape)) {
      tail.launched_behind = true;
    } else if (!finished) {
      tail.unfinished = tail.last;
      tail.launched_behind = false;
    }
  }
  for (std::size_t host = 0; host < threads; ++host)
    SetWaits(process, of.unfinished, tails[host], &of.hosts[host]);
  return of;
}

}  // namespace rollcall::analyzer
