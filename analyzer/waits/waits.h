// What each process waits for: those that are not in the collective it is in, the partner of its
// send or receive. From this follows which communicator's trouble is the one that all others come
// from.
#pragma once

#include <vector>

#include "analyzer/match/absence.h"
#include "analyzer/match/ending.h"
#include "analyzer/waits/wait_graph.h"

namespace rollcall::analyzer {

// The call in which a process is stuck, or was when its part ended; null = in none.
const Call* StuckIn(const Process& process);

// The process at the other end of a send or receive; -1 = it is not known, not visible, or the call
// is none.
int PartnerOf(const Job& job, const Process& process, const Call& call);

// The partner is in the other half of an exchange with somebody: it does not have to come first.
bool MeetsPartner(const Process& process, const Call& call, const Process& partner);

struct Waits {
  std::vector<WaitEdge> edges;           // between processes
  std::vector<std::vector<int>> cycles;  // of processes
  int processes = 0;

  bool Waiting(int process) const;
};

Waits BuildWaits(const Job& job, const std::vector<Absence>& absences,
                 const std::vector<Ending>& endings);

}  // namespace rollcall::analyzer
