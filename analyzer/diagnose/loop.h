// Rounds of loops, seen from a divergence: did one side leave a loop in which the other went on?
#pragma once

#include <cstdint>
#include <set>

#include "analyzer/diagnose/kinds.h"

namespace rollcall::analyzer {

// The loop that the others' call goes on with, at the beginning of a round.
struct Loop {
  std::set<int> sites;      // of one round; empty = there is none
  std::int64_t rounds = 0;  // before the divergence
};
Loop LoopOfOthers(const Examination& exam, const Sides& sides);

enum class Leaving {
  kNot,      // the deviators' call is one of the loop, or comes from inside of it
  kPerhaps,  // from a function beside those of the loop: it may be called in the loop as well
  kLeft,
};
Leaving LeftLoop(const Examination& exam, const Sides& sides, const Loop& loop);

}  // namespace rollcall::analyzer
