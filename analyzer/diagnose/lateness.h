// Calls of a job that went on, in which peers waited long for a rank that was busy elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnose/examination.h"

namespace rollcall::analyzer {

struct Lateness {
  int communicator = 0;
  std::int64_t position = 0;       // of the longest wait
  std::vector<int> late, waiting;  // indices in Communicator::members
  std::int64_t waited_ns = 0;      // of those waiting, the longest
  std::int64_t busy_ns = 0;        // of those late: since their last call, the longest
  int times = 1;                   // at this place in the code, with the same ranks
};

// The longest first. Every process is measured by its own clock.
std::vector<Lateness> FindLateness(const Examination& exam);

// A wait from which on a rank is late: ROLLCALL_HANG_SECONDS, or 20 times the median wait at that
// place and 5 s.
std::int64_t LateAfterNs(const Examination& exam, int communicator, int site);

// How long the process made no call and waited for none before it entered this one.
std::int64_t BusyBefore(const Examination& exam, int process, const Call& call);

}  // namespace rollcall::analyzer
