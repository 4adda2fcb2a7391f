// How far two members of a communicator are in the program that both run: their other calls tell,
// where the sequences of one communicator do not.
#pragma once

#include "analyzer/align/edit_script.h"
#include "analyzer/align/site.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Both processes are in a call from one place, and came there equally often: neither is ahead.
bool StopAlike(const Job& job, const Participant& a, const Participant& b, const SiteTable& sites);

// Ends the member's calls at its first call elsewhere that the other one has not come to, in the
// thread that makes them. What is behind it has no match on the other side, and is no sign of a
// call that is lacking there.
void CutWhatIsAhead(const Job& job, const Participant& member, const Participant& other,
                    const SiteTable& sites, CallSequence* calls);

}  // namespace rollcall::analyzer
