// Elastic restarts, and several runs in one folder: which processes belong to one start of the job.
#pragma once

#include <vector>

#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Sorts `loaded` by (incarnation, rank, host, pid) and sets Process::incarnation. The last
// incarnation is the one to judge.
std::vector<Incarnation> SetIncarnations(std::vector<LoadedProcess>& loaded);

}  // namespace rollcall::analyzer
