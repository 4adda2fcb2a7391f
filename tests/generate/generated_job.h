// One job of a run: made from the seed and its number alone.
#pragma once

#include <cstdint>
#include <string>

#include "tests/generate/expectation.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

struct GeneratedJob {
  int number = 0;
  Script script;
  Expectation expectation;
  std::string kind;  // of the finding that is expected; "" = a correct job
};

// One in ten correct jobs, a row of its own.
bool HasSlowRanks(int number);

// Numbers below `correct` are correct jobs; behind them each fault has its turn.
GeneratedJob MakeJob(std::uint64_t seed, int number, int correct);

}  // namespace rollcall::tests::generate
