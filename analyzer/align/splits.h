// All-to-all with splits: what one rank sends to another must be what that one takes from it. No
// member can see it alone, and no fingerprint holds it.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/align/divergence.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Nothing where all pairs agree, as far as they are known: members that are not visible, and splits
// that were not recorded, agree with everything.
std::optional<SplitsMismatch> CompareSplits(const Job& job, int communicator,
                                            std::int64_t position);

}  // namespace rollcall::analyzer
