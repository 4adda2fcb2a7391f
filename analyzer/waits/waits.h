// What calls, streams and hosts wait for. A pending call waits for its turn on its stream, and for
// its peers to reach it; a host for the calls that it is in; a peer that has not made a call is
// waited for through its host. Circles in this graph never end.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/match/ending.h"
#include "analyzer/match/pairs.h"
#include "analyzer/match/start.h"
#include "analyzer/waits/hosts.h"
#include "analyzer/waits/wait_graph.h"

namespace rollcall::analyzer {

// The call in which a process is stuck, or was when its part ended: of what is queued on a device
// the first, else the last that has not ended. Null = in none.
const Call* StuckIn(const Process& process);

// Cycles that share a call.
struct Circle {
  std::vector<CallRef> calls;  // pending, on its smallest cycles; by rank, then by time
  std::vector<int> processes;  // whose waits make it (design.md, footnote 3)
  bool minority = false;       // these are those who entered another call first
  int communicator = -1;       // the largest of its collectives; -1 = sends and receives alone
  std::int64_t position = -1;
  std::vector<int> nodes;  // of the graph; sorted
};

class Waits {
 public:
  Waits(const Job& job, int incarnation, const std::vector<Ending>& endings,
        const std::vector<Start>& starts, const Pairs& pairs);

  // Every thread that could make the process's next call on the communicator waits in a call, and
  // not for itself alone.
  bool Waiting(int process, int communicator) const;
  // Some thread waits in a call.
  bool Waiting(int process) const;
  // Something ahead of it on its stream or communicator has not ended, or it was never launched.
  bool Queued(int process, std::int64_t call) const;
  const HostsOfProcess& Hosts(int process) const {
    return hosts_[static_cast<std::size_t>(process)];
  }
  // In the order of their ranks.
  const std::vector<Circle>& circles() const { return circles_; }
  // The circle for which those wait that are in the communicator's calls from a position on;
  // null = there is none.
  const Circle* CircleBehind(int communicator, std::int64_t position) const;

 private:
  friend class WaitBuilder;
  struct Pending {
    CallRef ref;
    int turn = 0, end = 0;  // nodes: it is first on its stream; it has ended
    bool queued = false;
    bool alone = false;  // nobody's part is waited for, such as in a sync with nothing queued
  };
  bool WaitsForOthers(int process, const Host& host) const;
  const Pending* Find(int process, std::int64_t call) const;

  const Job& job_;
  std::vector<HostsOfProcess> hosts_;          // by process
  std::vector<std::vector<Pending>> pending_;  // by process, in order of calls
  WaitGraph graph_;
  std::vector<Circle> circles_;
};

}  // namespace rollcall::analyzer
