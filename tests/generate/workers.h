// Runs the jobs in several processes, so that a crash costs one job and is told.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/generate/expectation.h"

namespace rollcall::tests::generate {

struct Run {
  std::uint64_t seed = 0;
  int correct = 0, faulty = 0;
  int workers = 1;
};

// By number of the job.
std::vector<Score> RunAll(const Run& run);

}  // namespace rollcall::tests::generate
