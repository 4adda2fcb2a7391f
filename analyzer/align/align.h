// Where do the members of a communicator part? Calls are compared by position; what a fingerprint
// has shown to be equal is not looked at again. Who has no call at all at a position is the
// business of analyzer/match.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/align/call_class.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Null when the member made no call there, or it is not in the trace.
const Call* CallAt(const Job& job, const Participant& member, std::int64_t position);

// Behind the member's last call.
std::int64_t EndPosition(const Job& job, const Participant& member);

struct Group {
  int call_class = 0;
  std::vector<int> members;  // indices in Communicator::members
};

// Members called different things at one position.
struct Divergence {
  int communicator = 0;
  std::int64_t position = 0;
  std::vector<Group> groups;  // the largest first; among equals the one with the lowest rank
  bool only_site = false;     // they agree in all but the place in the code
  bool all_completed = false;

  // Two largest groups of one size: no majority.
  bool tie() const {
    return groups.size() > 1 && groups[0].members.size() == groups[1].members.size();
  }
};

struct Alignment {
  std::vector<Divergence> silent;  // completed with other arguments or from another site; the calls
                                   // behind are in step again
  std::vector<Divergence> first;   // none or one: from here on positions mean nothing
};

Alignment Align(const Job& job, int communicator, const CallClasses& classes,
                const SiteTable& sites);

}  // namespace rollcall::analyzer
