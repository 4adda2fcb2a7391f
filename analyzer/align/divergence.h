// Members of a communicator that called different things at one position.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/align/edit_script.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

struct Group {
  int call_class = 0;
  std::vector<int> members;  // indices in Communicator::members
};

// What one member sends to another in an all-to-all is not what that one takes from it.
struct SplitsMismatch {
  std::vector<int> members;              // in every pair that disagrees, or both ends of all
  int sender = 0, receiver = 0;          // of the first pair
  std::uint64_t sent = 0, expected = 0;  // bytes, or elements where their size is not known
};

struct Divergence {
  int communicator = 0;
  std::int64_t position = 0;
  std::vector<Group> groups;        // the largest first; among equals the one with the lowest rank
  std::vector<EditScript> scripts;  // like groups: against the largest; of that one empty
  std::vector<SplitsMismatch> splits;  // none or one: they agree in all but the splits
  bool only_site = false;              // they agree in all but the place in the code
  bool only_capture = false;           // some replay a graph where others call directly
  bool all_completed = false;          // the calls at the position
  // Where the ranks got stuck behind it; -1 = nowhere. NCCL does not compare calls: what differs
  // may go through, and hang later.
  std::int64_t stuck_position = -1;

  // Two largest groups of one size: no majority.
  bool tie() const {
    return groups.size() > 1 && groups[0].members.size() == groups[1].members.size();
  }
  // Nothing hangs for it.
  bool went_well() const { return all_completed && stuck_position < 0; }
};

// Who called what there; without scripts.
Divergence MakeDivergence(const Job& job, int communicator, std::int64_t position,
                          const CallClasses& classes);

// What the first of one group did against the first of another from the divergence on.
EditScript CompareGroups(const Job& job, const Divergence& divergence, const Group& others,
                         const Group& deviators, const CallClasses& classes,
                         const SiteTable& sites);

// Fills scripts and stuck_position.
void Explain(const Job& job, const CallClasses& classes, const SiteTable& sites,
             Divergence* divergence);

// The ranks went on in step behind what differs, and all of it completed. behind: from where on.
bool InStepAgain(const Job& job, const Divergence& divergence, std::int64_t* behind);

}  // namespace rollcall::analyzer
