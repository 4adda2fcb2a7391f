// Two copies of a library in one process: each call goes to the copy that its caller is linked to.
#include "tests/catch.h"
#include "tests/gloo/recorded_job.h"

namespace rollcall::tests {
namespace {

TEST_CASE("with two copies of Gloo in a process each caller reaches its own", "[gloo]") {
  JobOptions options;
  options.recorder = ROLLCALL_RECORDER;
  const std::vector<std::string> command = {ROLLCALL_BINARIES "/two_copies",
                                            ROLLCALL_BINARIES "/libgloo_copy_1.so",
                                            ROLLCALL_BINARIES "/libgloo_copy_2.so"};
  const auto ranks = RunJob(1, command, options);
  INFO(ranks[0].outcome.errors);
  CHECK(ranks[0].outcome.status == 0);
  CHECK(ranks[0].process.calls.size() == 4);
}

}  // namespace
}  // namespace rollcall::tests
