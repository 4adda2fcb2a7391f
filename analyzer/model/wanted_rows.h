// How much of each trace is decoded: fingerprints show that ranks agree over their first million
// calls without reading them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/decode_calls.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

struct RowLimits {
  // Below this all rows of the job are decoded, so that call sites of agreeing calls can be
  // compared too.
  std::int64_t all_of_job = 4'000'000;
  // In front of what parts, per process, and of all processes together: with 10,000 ranks the
  // window shrinks.
  std::int64_t window = 4096, windows_of_job = 16'000'000;
  // Of all processes together, whatever parts where: a call takes about 100 bytes of memory.
  std::int64_t most_of_job = 24'000'000;
};

// Newest rows to decode, by index of process: all of a job of ordinary size; else a window, and
// back to a checkpoint at which all members of a communicator agreed, for communicators whose
// members part later. Bounded, whatever parts where.
std::vector<std::int64_t> WantedRows(const std::vector<LoadedProcess>& loaded, const Job& job,
                                     const RowLimits& limits);
// The same, once rows are decoded: more of processes whose rows do not reach back to where a
// communicator may part, although the file has more, because calls of the communicator were rarer
// lately than in the whole run.
std::vector<std::int64_t> WantedAgain(const std::vector<LoadedProcess>& loaded,
                                      const std::vector<Decoded>& decoded,
                                      const std::vector<std::int64_t>& wanted, const Job& job,
                                      const RowLimits& limits);

// Processes whose rows, of which the newest `wanted` were decoded, do not reach back to where a
// communicator of theirs may part, although the file has more: see RowLimits::most_of_job.
std::size_t CutShort(const std::vector<LoadedProcess>& loaded, const std::vector<Decoded>& decoded,
                     const std::vector<std::int64_t>& wanted, const Job& job);

}  // namespace rollcall::analyzer
