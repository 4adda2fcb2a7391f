// A random job in which nothing is wrong.
#pragma once

#include "tests/generate/builder.h"

namespace rollcall::tests::generate {

// What a job may contain beside its phases.
struct Extent {
  bool may_restart = true, may_run_on = true, may_shrink = true;
};

// Leaves the job in the builder's script.
void BuildCorrectJob(Builder& builder, const Extent& extent);
// Ranks and backend at random.
Builder NewBuilder(Random& random, int least_world);

}  // namespace rollcall::tests::generate
