// Up to which position the visible members of a communicator agree, by fingerprints and by rows.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/decode_calls.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// From fingerprints alone, without any row: a position up to which all visible members agree, and
// whether all of them made equally many calls with equal hashes, so that there is nothing to look
// for.
struct QuickAgreement {
  std::int64_t agreed = 0;
  bool complete = false;
};
QuickAgreement AgreeByFingerprints(const Communicator& communicator,
                                   const std::vector<LoadedProcess>& loaded);

// Participant::agreed_position, exactly as far as rows reach.
void SetAgreedPositions(const std::vector<LoadedProcess>& loaded,
                        const std::vector<Decoded>& decoded, Job& job);

}  // namespace rollcall::analyzer
