// Gloo without PyTorch.
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "tests/catch.h"
#include "tests/gloo/recorded_job.h"

namespace rollcall::tests {
namespace {

std::vector<RecordedRank> RunPlainGloo(bool recorded) {
  char folder[] = "/tmp/rollcall-store-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  JobOptions options;
  if (recorded) options.recorder = ROLLCALL_RECORDER;
  const auto ranks = RunJob(3, {ROLLCALL_BINARIES "/plain_gloo", folder}, options);
  std::filesystem::remove_all(folder);
  return ranks;
}

TEST_CASE("a program that uses Gloo itself is recorded at the level of Gloo", "[gloo]") {
  const auto ranks = RunPlainGloo(true);
  for (const RecordedRank& rank : ranks) {
    INFO(rank.outcome.errors);
    REQUIRE(rank.outcome.status == 0);
    CHECK_FALSE(rank.expected.empty());
    CHECK(Difference(rank) == "");
    CHECK(rank.process.settings.at("hooks.gloo") == "gloo");
  }
  CHECK(ranks[0].outcome.output.find("result timeout") != std::string::npos);
  const auto without = RunPlainGloo(false);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    CHECK(ranks[i].outcome.output == without[i].outcome.output);
}

}  // namespace
}  // namespace rollcall::tests
