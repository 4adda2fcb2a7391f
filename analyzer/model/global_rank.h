// Which global rank a process has, and how many it thinks there are.
#pragma once

#include <string>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Index of the process's first default group among its communicators; -1 = none.
int FirstDefaultGroup(const Process& process);
// Sets rank, world_size and rank_source: the first default group, else RANK-like environment, else
// the first communicator. Returns a sentence if the sources disagree, else "".
std::string SetGlobalRank(Process& process);

}  // namespace rollcall::analyzer
