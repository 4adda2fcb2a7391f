// Processes that ended by themselves while the job was coming together, so that a rendezvous or a
// group was never complete.
#pragma once

#include <vector>

#include "analyzer/diagnose/examination.h"
#include "report.pb.h"

namespace rollcall::analyzer {

struct EndedAtStart {
  const Start* start = nullptr;  // null = nobody ended in a start that others wait in
  std::vector<int> processes;    // that ended with this part
};

EndedAtStart FindEndedAtStart(const Examination& exam, bool killed);

// "ranks 0, 1 wait in the rendezvous at train.py:7".
std::string StartWaitingWords(const Examination& exam, const EndedAtStart& ended);

// Calls, places and waits of all whom it concerns.
void AddEndedAtStart(const Examination& exam, const EndedAtStart& ended, Finding* finding);

}  // namespace rollcall::analyzer
