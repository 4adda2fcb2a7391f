// By what few edits does one sequence of calls become another? Calls are keyed by operation,
// arguments and place in the code. The search goes from where the sequences part to where they are
// in step again, and costs what differs, not how long the sequences are.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/align/call_class.h"

namespace rollcall::analyzer {

// Calls from one position on.
struct CallSequence {
  std::int64_t begin = 0;
  std::vector<int> classes;
  bool ends = true;                       // no call behind them is known
  std::int64_t rest = 0;                  // else so many that are not looked at
  std::vector<int> places;                // like classes; kNoSite = not known
  absl::flat_hash_set<int> known_places;  // from which whoever made them ever called
  bool left = false;                      // it made all calls that it was to make
  bool blocked = false;  // the host waits in its last call: it may have had more to do
};

enum class EditKind : std::uint8_t {
  kInserted,  // the deviators made a call more
  kMissing,   // the deviators made a call less
  kReplaced,  // another call, or the same one with other arguments, stands in its place
  kSwapped,   // made earlier or later than the others made it
};

struct Edit {
  EditKind kind = EditKind::kReplaced;
  std::int64_t others_position = 0, deviators_position = 0;
};

// What the deviators did against the others, where they part first.
struct EditScript {
  std::vector<Edit> edits;
  // Equal calls behind the edits, as far as was looked (64 are enough). 0 = nothing shows how the
  // sequences go on: they end here.
  std::int64_t matched = 0;
  // Calls that are equal but for their place, since the sequences part.
  std::int64_t other_places = 0;
  // Behind the matched calls both sequences end at once, and not both because they are stuck:
  // neither is ahead.
  bool ends_together = false;
  int cost = 0;  // of two readings the cheaper one is the better one

  bool resynchronised() const { return matched > 0; }
  bool Begins(EditKind kind) const { return !edits.empty() && edits.front().kind == kind; }
  bool Has(EditKind kind) const;
  // Of the edits at the beginning, so many are of the kind of the first.
  std::int64_t FirstRun() const;
  // Inserted calls minus missing ones: 0 = in step again.
  std::int64_t Shift() const;
  // What is missing first stands before the deviators' first call, which the others made as well.
  bool LeavesOut() const;
};

// The two differ in their first call.
EditScript CompareSequences(const CallSequence& others, const CallSequence& deviators,
                            const CallClasses& classes);

}  // namespace rollcall::analyzer
