// How a process ended, from the raw page of its trace's header.
#pragma once

#include <cstdint>

#include "analyzer/model/job.h"
#include "analyzer/trace/trace_file.h"

namespace rollcall::analyzer {

// What this machine knows about the process of a trace.
enum class ProcessWitness {
  kElsewhere,  // recorded on another machine or in another boot
  kAlive,      // a process with that pid and start time is there
  kGone,
};
ProcessWitness AskThisMachine(const Header& header);

// Times are CLOCK_MONOTONIC. last_entered_ns: of the newest call in the trace.
End ClassifyEnd(const RollcallState& state, ProcessWitness witness, std::int64_t last_entered_ns);

}  // namespace rollcall::analyzer
