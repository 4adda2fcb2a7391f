// Who is in a collective and who is not: the first position of a communicator that some members
// reached and others did not, or in which all are and nothing comes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/match/ending.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

struct Absence {
  int communicator = 0;
  std::int64_t position = 0;
  // Indices in Communicator::members.
  std::vector<int> present;    // made the call, and wait in it or went on
  std::vector<int> absent;     // made no call there, or ended inside it
  std::vector<int> unseen;     // no trace, or it breaks off before: nothing can be said
  std::int64_t waited_ns = 0;  // the longest wait of those present
  bool waiting = false;        // somebody present did not get out of it
  bool gave_up = false;        // somebody present ended or failed for it
};

// From entry to completion, or to the last sign of life.
std::int64_t NsInCall(const Job& job, int process, const Call& call);

// Nothing when all members made the same number of calls and got out of them.
std::optional<Absence> FindAbsence(const Job& job, int communicator,
                                   const std::vector<Ending>& endings);

}  // namespace rollcall::analyzer
