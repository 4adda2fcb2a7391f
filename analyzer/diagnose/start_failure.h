// Who failed in a rendezvous, or in the construction of a group, by an error of its own: what the
// others die of then, or wait for, is a consequence.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnose/examination.h"

namespace rollcall::analyzer {

struct StartFailure {
  const StartCall* call = nullptr;  // the first one's
  std::vector<int> processes;       // those that failed in the same way
  std::string text;                 // what the error says, on one line; "" = it is not known
  LocalError local = LocalError::kNone;
  bool concerns_address = false;  // of the rendezvous: its name, its port, or who serves it
};

// No processes: nobody failed, or only because of others.
StartFailure FailureIn(const Examination& exam, const Start& start);

// "the rendezvous", "the construction of the world", "the construction of group tp".
std::string StartName(const Examination& exam, const Start& start);

// "rank 0 could not open the rendezvous at train.py:4: port 29500 is already taken ...".
std::string FailureWords(const Examination& exam, const Start& start, const StartFailure& failure);
std::string FailureAdvice(const Examination& exam, const StartFailure& failure);

// The process that the others of a rendezvous connect to.
bool Serves(const Process& process);

// Host and port as the process was given them; "" = not recorded.
std::string EndpointOf(const Process& process);
std::string PortOf(const std::string& endpoint);

}  // namespace rollcall::analyzer
