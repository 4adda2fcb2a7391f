// Faults that the analyzer does not always judge right yet: one job of two thousand. Three of a
// run may be wrong, of all others none. A row goes with the change that makes it right: it is full
// in `generated_jobs --faulty 3700` for twenty seeds.
#pragma once

#include <set>
#include <string>

#include "tests/generate/score_table.h"

namespace rollcall::tests::generate {

// Calls from two branches, in the middle of which a fault cuts a rank off
// (as in traces/cases/G10): a few of a hundred other operations are not told right yet.
inline constexpr bool kBranchesWithFaults = false;

inline const std::set<std::string>& FaultsNotAlwaysRight() {
  static const std::set<std::string> faults = {
      "leaves a loop early",
      "swaps two calls",
      "skips a call",
      // Where another loop of the job reduces its gradients once.
      "reduces gradients twice",
  };
  return faults;
}

inline int WrongAllowed(const Row& row) {
  return FaultsNotAlwaysRight().count(row.fault) == 0 ? 0 : 3;
}

}  // namespace rollcall::tests::generate
