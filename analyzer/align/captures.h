// Calls that some members made by replaying a graph, and others directly. NCCL wants that to be the
// same on all ranks of a call: what is in a graph may have chosen other buffers and algorithms.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/align/divergence.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Members of the communicator that replay graphs.
bool AnyReplays(const Job& job, int communicator);

// The two groups, the larger first; empty = all do the same.
std::vector<Group> GroupsByCapture(const Job& job, int communicator, std::int64_t position,
                                   const CallClasses& classes);

}  // namespace rollcall::analyzer
