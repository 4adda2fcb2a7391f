// Where do the members of a communicator part? Calls are compared by position; what a fingerprint
// has shown to be equal is not looked at again but for its place in the code. Who has no call at
// all at a position is the business of analyzer/match.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/align/call_class.h"
#include "analyzer/align/divergence.h"
#include "analyzer/align/sequences.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

struct Alignment {
  std::vector<Divergence> silent;  // completed though they differ; the ranks are in step again
                                   // behind them
  std::vector<Divergence> first;   // none or one: from here on positions mean nothing
  // The last of the silent ones, if only the place differs: whether the ranks are in step again
  // shows at the position behind it.
  std::vector<Divergence> passed;  // none or one
  std::int64_t behind_passed = -1;
};

Alignment Align(const Job& job, int communicator, const CallClasses& classes,
                const SiteTable& sites);

}  // namespace rollcall::analyzer
