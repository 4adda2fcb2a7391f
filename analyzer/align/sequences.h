// The collectives of one member of a communicator, by position.
#pragma once

#include <cstdint>

#include "analyzer/align/edit_script.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Null when the member made no call there, or it is not in the trace.
const Call* CallAt(const Job& job, const Participant& member, std::int64_t position);

// Behind the member's last call.
std::int64_t EndPosition(const Job& job, const Participant& member);

// What the member called from a position on, as far as it is worth to look.
CallSequence SequenceFrom(const Job& job, const Participant& member, std::int64_t position,
                          const CallClasses& classes, const SiteTable& sites);

}  // namespace rollcall::analyzer
