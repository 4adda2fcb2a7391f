// Which send meets which receive: in order, per communicator, source, destination and, under Gloo,
// tag. Grouped or not, in rings and exchanges: only the order counts.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

bool IsPointToPoint(Operation operation);

// A call of a process, by its index in Process::calls.
struct CallRef {
  int process = -1;
  std::int64_t call = -1;  // -1 = none

  bool operator==(const CallRef&) const = default;
};

// A send or a receive.
struct PairEnd {
  std::int64_t call = 0;  // index in Process::calls
  int partner = -1;       // process at the other end; -1 = not visible, or whoever sends
  CallRef other;          // the call that it meets; none: there is none, or it cannot be told
};

class Pairs {
 public:
  Pairs(const Job& job, int incarnation);

  // By call.
  const std::vector<PairEnd>& Of(int process) const {
    return ends_[static_cast<std::size_t>(process)];
  }
  // Null = it is no send or receive.
  const PairEnd* Find(int process, std::int64_t call) const;
  // An unfinished send to `peer`, or receive from it, that meets nobody; null = there is none.
  const PairEnd* Unmet(int process, int peer, Operation operation) const;
  // All sends and receives of a process are in its trace.
  bool Complete(int process) const;

 private:
  const Job& job_;
  std::vector<std::vector<PairEnd>> ends_;  // by process
};

}  // namespace rollcall::analyzer
