// Positions of collectives in the sequences of their communicators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/model/decode_calls.h"
#include "analyzer/model/row_facts.h"

namespace rollcall::analyzer {

// Calls from blocks that follow each other without a gap.
struct CallRun {
  std::int64_t first_row = 0;  // from here on all rows are there
  std::uint64_t last_sequence = 0;
  std::size_t begin = 0, end = 0;  // in Process::calls
};

// Counts positions: from 0 where the first block is there, else from what Progress says. Within a
// communicator the order is that of the tags that the library took, where rows tell them, else that
// of rows. Calls whose position cannot be known keep -1.
void SetPositions(const std::vector<CallRun>& runs, const RowFacts& facts, LoadedProcess& loaded,
                  Decoded& decoded);

}  // namespace rollcall::analyzer
