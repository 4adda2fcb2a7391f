// How much of each trace is decoded: fingerprints show that ranks agree over their first million
// calls without reading them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/decode_calls.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Newest rows to decode, by index of process: all of a job of ordinary size; else a window, and
// back to a checkpoint at which all members of a communicator agreed, for communicators whose
// members part later.
std::vector<std::int64_t> WantedRows(const std::vector<LoadedProcess>& loaded, const Job& job);
// Processes whose rows do not reach back to where a communicator may part, although the file has
// more: calls of a communicator were rarer lately than in the whole run.
std::vector<int> FindTooShort(const std::vector<LoadedProcess>& loaded,
                              const std::vector<Decoded>& decoded,
                              const std::vector<std::int64_t>& wanted, const Job& job);

}  // namespace rollcall::analyzer
