// How far two members of a communicator are in the program that both run: their other calls tell,
// where the sequences of one communicator do not.
#pragma once

#include <cstdint>

#include "analyzer/align/site.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Both processes are in a call from one place, and came there equally often: neither is ahead.
bool StopAlike(const Job& job, const Participant& a, const Participant& b, const SiteTable& sites);

// The member's first position behind its first call elsewhere, from a position on and in the thread
// that made the call there, that the other one has not come to. Calls from it on have no match on
// the other side yet, and are no sign of a call that is lacking there. The greatest number = none.
std::int64_t AheadFrom(const Job& job, const Participant& member, const Participant& other,
                       std::int64_t position, const SiteTable& sites);

}  // namespace rollcall::analyzer
