// Native stacks of a trace: return addresses and the objects that were loaded.
#pragma once

#include <vector>

#include "analyzer/model/job.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Stacks and module tables; frames say module and offset alone, which costs no look at any other
// file.
void TakeNativeStacks(const std::vector<Definition>& definitions, LoadedProcess& loaded);
// Functions, and files and lines where debug information is installed, for one stack that will be
// shown. Objects whose build id is not the recorded one stay module+offset.
Stack ResolveNativeStack(const Process& process, int native_stack);

}  // namespace rollcall::analyzer
