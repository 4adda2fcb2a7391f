// Several files of one process: a trace and copies of it, of one moment or of several. Taken for
// processes of their own they would be two that claim one rank.
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Keeps the copy of each process that tells most, the others become unusable; a sentence for each.
std::vector<std::string> LeaveOutCopies(std::vector<LoadedProcess>& loaded);

}  // namespace rollcall::analyzer
