// A job of a few processes under the recorder, and what its ranks wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/gloo/recorded_calls.h"
#include "tests/tools/program.h"

namespace rollcall::tests {

struct RecordedRank {
  Outcome outcome;
  RecordedProcess process;
  std::vector<RecordedCall> expected;  // "call name=value ..." lines that it printed
};

struct JobOptions {
  std::map<std::string, std::string> environment;
  std::string recorder;  // librollcall.so; "" = not recorded
};

// Each word list is one rank's command; RANK, WORLD_SIZE and the address of a free port are in its
// environment.
std::vector<RecordedRank> RunJob(const std::vector<std::vector<std::string>>& commands,
                                 const JobOptions& options);
std::vector<RecordedRank> RunJob(int ranks, const std::vector<std::string>& command,
                                 const JobOptions& options);

// "" if every call that the rank expected is there, in order, with these values (further ones do
// not count), and no other one; else what differs.
std::string Difference(const RecordedRank& rank);

// Those of the Pythons, separated by colons, that have torch with Gloo. Says which ones have not.
std::vector<std::string> PythonsWithTorch(const std::string& candidates);

}  // namespace rollcall::tests
