#include "tests/generate/generated_job.h"

#include <stdexcept>
#include <utility>

#include "tests/generate/correct_job.h"
#include "tests/generate/fault.h"

namespace rollcall::tests::generate {

bool HasSlowRanks(int number) {
  return number % 10 == 9;
}

GeneratedJob MakeJob(std::uint64_t seed, int number, int correct) {
  constexpr int kTries = 200;
  Random random(seed * 1'000'003 + static_cast<std::uint64_t>(number));
  GeneratedJob job;
  job.number = number;
  if (number < correct) {
    Builder builder = NewBuilder(random, 2);
    if (HasSlowRanks(number)) builder.HaveSlowRanks();
    BuildCorrectJob(builder, {});
    job.script = std::move(builder.script());
    return job;
  }
  const std::vector<Fault>& faults = Faults();
  const Fault& fault = faults[static_cast<std::size_t>(number - correct) % faults.size()];
  for (int i = 0; i < kTries; ++i) {
    Builder builder = NewBuilder(random, 2);
    builder.KeepClear();
    BuildCorrectJob(builder, {.may_run_on = false, .may_shrink = false});
    std::optional<Expectation> expectation = fault.inject(builder);
    if (!expectation.has_value()) continue;
    job.script = std::move(builder.script());
    job.expectation = *std::move(expectation);
    job.expectation.fault = fault.name;
    job.kind = fault.kind;
    return job;
  }
  throw std::runtime_error(std::string("no job has a place for the fault: ") + fault.name);
}

}  // namespace rollcall::tests::generate
