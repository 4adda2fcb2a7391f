// What a job's report has to say, and whether it does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report.pb.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

struct Answer {
  std::string kind;
  Ranks ranks;
  std::string argument;              // of arg_mismatch
  bool tie = false;                  // equal groups: both are named, and it is said that they tie
  std::map<int, std::string> lines;  // by rank: "train.py:41"
};

// Correct jobs have no answer.
struct Expectation {
  std::string fault;  // what was done to the job; "" = nothing
  std::vector<Answer> answers;
  std::string why_several;  // where the data does not decide between answers
};

struct Score {
  bool kind = false, ranks = false, line = false;
  std::string what;  // what is wrong, in words

  bool Full() const { return kind && ranks && line; }
};

Score Compare(const Expectation& expectation, const Report& report);
std::string TextOf(const Expectation& expectation);

}  // namespace rollcall::tests::generate
