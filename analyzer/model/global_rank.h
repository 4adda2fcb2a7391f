// Which global rank a process has, and how many it thinks there are.
#pragma once

#include <string>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Index of the process's first default group among its communicators; -1 = none.
int FirstDefaultGroup(const Process& process);
// Sets rank, world_size and rank_source: the first default group, else RANK-like environment, else
// the first communicator.
void SetGlobalRank(Process& process);
// A sentence if group and environment tell different ranks, else "".
std::string RankDisagreement(const Process& process);
// The process is known to its group by its LOCAL_RANK, although it was told another RANK.
bool TookLocalRank(const Process& process);

}  // namespace rollcall::analyzer
