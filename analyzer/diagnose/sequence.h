// Questions about the sequences of calls on the two sides of a divergence.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnose/kinds.h"

namespace rollcall::analyzer {

constexpr int kNoClass = -1;

// The class of the call that the first member of the group made at a position; kNoClass = none
// there.
int ClassAt(const Examination& exam, const Sides& sides, const Group& group, std::int64_t position);

// Some member of the group made a call from the place of this call, at any time, on any
// communicator. Without places: an equal call.
bool Knows(const Examination& exam, int communicator, const Group& group, int call_class);

// What the two sides did, told as one sentence: "rank 2 called A at x:1 where ranks 0, 1 called B
// at y:2".
std::string AgainstEachOther(const Examination& exam, const Divergence& divergence,
                             const std::vector<Group>& deviators, const Group& others);

// The groups whose ranks a mismatch names: all but the largest; in a tie the largest ones too.
std::vector<Group> MinorityOf(const Divergence& divergence);

// Members that are not visible there, so many that they could turn the majority round. Sorted
// global ranks; empty = they could not.
std::vector<int> UnseenThatDecide(const Examination& exam, const Divergence& divergence);

// Where they could, a finding names both sides, and its message none.
void StateUndecided(const Examination& exam, const Divergence& divergence, Finding* finding);

// Ranks, victims, place, calls, last common call, tie: what every finding about differing calls
// shows.
void FillMismatch(const Examination& exam, const Divergence& divergence,
                  const std::vector<Group>& deviators, Finding* finding);

// The deviators' call is one that comes later in the others' round, or in their sequence: from the
// others' call on, so many calls were left out; 0 = it is not.
std::int64_t LeftOut(const Examination& exam, const Sides& sides);

// The script shows that the deviators made the same calls in another order; without any calls
// behind, that the next few are the same ones.
bool Reordered(const EditScript& script);

}  // namespace rollcall::analyzer
