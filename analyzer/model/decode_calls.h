// From rows, cells and events of a trace to Calls with positions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {

// Where the collectives of one communicator stand in its sequence: indices in Process::calls, by
// position.
struct Sequence {
  std::vector<std::int64_t> calls;
  std::vector<std::uint64_t> elements;  // of the fingerprint, by position
  std::int64_t first_position =
      0;  // of calls.front(); without calls: how many are known to have been made
};

struct Decoded {
  std::vector<Sequence> sequences;  // by index of communicator
  std::vector<std::string> notes;   // what could not be seen
  // Not "": why calls are left out from some point on, so that nothing can be said of what came
  // behind it.
  std::string breaks_off;
};

constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

// Fills process.calls with the newest `wanted` rows, or all; and with all rows since the oldest
// call that is still open.
Decoded DecodeCalls(LoadedProcess& loaded, std::int64_t wanted);

}  // namespace rollcall::analyzer
