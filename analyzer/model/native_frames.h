// Native stacks of a trace: return addresses and the objects that were loaded.
#pragma once

#include <vector>

#include "analyzer/model/job.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/trace/symbols.h"

namespace rollcall::analyzer {

// Stacks and module tables; frames say module and offset alone, which costs no look at any other
// file.
void TakeNativeStacks(const std::vector<Definition>& definitions, LoadedProcess& loaded);
// Function, and file and line where debug information is installed, of one frame that will be
// shown. An object whose build id is not the recorded one stays module+offset.
Frame ResolveNativeFrame(const Process& process, int native_stack, int frame, SymbolFinder& finder);

}  // namespace rollcall::analyzer
