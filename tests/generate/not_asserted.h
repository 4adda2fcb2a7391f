// Faults that the analyzer does not always judge right yet: a job in some hundred, of the first two
// one in twenty or forty. They may be wrong in a fifth of their jobs, or in three; all others in
// none. A row goes with the change that makes it right: it is full in `generated_jobs --faulty
// 3700` for several seeds.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "tests/generate/score_table.h"

namespace rollcall::tests::generate {

// Calls from two branches, in the middle of which a fault cuts a rank off
// (as in traces/cases/G10): a few of a hundred other operations are not told right yet.
inline constexpr bool kBranchesWithFaults = false;

inline const std::set<std::string>& FaultsNotAlwaysRight() {
  static const std::set<std::string> faults = {
      "makes a call more",
      "leaves a loop early",
      "swaps two calls",
      "skips a call",
      "two groups crossed",
      "loses its partner",
      "makes progress elsewhere",
      "exits early",
      "raises an exception",
      "destroys the group early",
      "calls another operation",
      "passes another count",
      // Where another loop of the job reduces its gradients once.
      "reduces gradients twice",
  };
  return faults;
}

inline int WrongAllowed(const Row& row) {
  return FaultsNotAlwaysRight().count(row.fault) == 0 ? 0 : std::max(3, row.jobs / 5);
}

}  // namespace rollcall::tests::generate
