// Those who are absent from a call, by what became of them.
#pragma once

#include <vector>

#include "analyzer/diagnose/examination.h"

namespace rollcall::analyzer {

// Members whose own end was by a signal.
std::vector<int> AbsentKilled(const Examination& exam, const Absence& absence);
// Members that ended otherwise, or left the group.
std::vector<int> AbsentLeft(const Examination& exam, const Absence& absence);
// Members that aborted the communicator of their own accord.
std::vector<int> AbsentAborted(const Examination& exam, const Absence& absence);
// Members that live and wait for nothing that is known.
std::vector<int> AbsentAlive(const Examination& exam, const Absence& absence);
// Members that ended by an error of the library outside of any recorded call.
std::vector<int> AbsentReacted(const Examination& exam, const Absence& absence);
// Members that wait in another call.
std::vector<int> AbsentWaiting(const Examination& exam, const Absence& absence);

}  // namespace rollcall::analyzer
