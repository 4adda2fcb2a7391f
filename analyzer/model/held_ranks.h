// Processes that hold several ranks: ncclCommInitAll over all devices, or a thread per rank.
#pragma once

#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Which creation of its digest each handle is, from 0. Handles of one NCCL id with different ranks
// are members of one communicator, however many of them a process makes.
std::vector<int> CreationsOfHandles(const Process& process);

// Global rank by handle. Of a process that is one rank: its rank. Of one that holds several: the
// rank in the communicator of which it holds them, and in others the rank of the parent, or of the
// thread that makes their calls; -1 where nothing tells.
std::vector<int> RanksOfHandles(const Process& process);

}  // namespace rollcall::analyzer
