// A row that says what nobody defined: behind it no position is known.
#include <cstring>
#include <fstream>
#include <iterator>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/trace/trace_file.h"
#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

TEST_CASE("what is behind a call that cannot be understood is left out, and accuses nobody") {
  const TemporaryFolder folder;
  std::string damaged;
  for (int rank = 0; rank < 3; ++rank) {
    SyntheticRank of(rank, 3);
    for (int call = 0; call < 6; ++call)
      of.Completed(of.Allreduce(8, 10 + call));
    of.Pending(of.Allreduce(8, 20));
    of.Alive();
    damaged = of.Write(folder);
  }
  const TraceFile trace = ReadTraceFile(damaged);
  REQUIRE(trace.call_blocks.size() == 1);
  std::ifstream file(damaged, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::uint32_t unknown = 4711;
  const auto row = static_cast<std::size_t>(trace.call_blocks[0].offset) + kRollcallShapeAt + 4 * 2;
  std::memcpy(bytes.data() + row, &unknown, sizeof unknown);
  folder.Write("node.1002.5.rollcall", bytes);

  const absl::StatusOr<Job> job = BuildJob({folder.path()});
  REQUIRE(job.ok());
  CHECK(job->processes[1].calls.size() == 7);
  CHECK(job->processes[2].calls.size() == 2);
  const Report report = Diagnose(*job);
  for (const Finding& finding : report.findings())
    CHECK(finding.ranks().empty());
  CHECK(job->inputs[2].state == "damaged");
  CHECK(job->inputs[2].message ==
        "what call 3 asked for is not in the file: it and those behind it are left out");
}

}  // namespace
}  // namespace rollcall::analyzer
