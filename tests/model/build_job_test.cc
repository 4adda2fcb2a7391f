// From files to a Job, on traces by the analyzer's own writer.
#include "analyzer/model/build_job.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

TEST_CASE("an early exit becomes a job of four processes in one world") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 4; ++rank)
    folder.Write(SyntheticRank::FileName(rank), EarlyExitTrace(rank));
  const absl::StatusOr<Job> job = BuildJob({folder.path()});
  REQUIRE(job.ok());
  REQUIRE(job->processes.size() == 4);
  REQUIRE(job->incarnations.size() == 1);
  REQUIRE(job->communicators.size() == 1);
  const Communicator& world = job->communicators.front();
  CHECK(world.name == "world");
  CHECK(world.is_world);
  CHECK(world.size == 4);
  REQUIRE(world.members.size() == 4);
  for (int rank = 0; rank < 4; ++rank) {
    const Participant& member = world.members[rank];
    CHECK(member.global_rank == rank);
    CHECK(member.calls.size() == (rank == 2 ? 3u : 4u));
    CHECK(member.agreed_position == 3);
    const Process& process = job->processes[member.process];
    CHECK(process.rank == rank);
    CHECK(process.rank_source == "process group");
    CHECK(process.end.kind == (rank == 2 ? EndKind::kExit : EndKind::kAlive));
    for (std::size_t i = 0; i < member.calls.size(); ++i) {
      CHECK(process.calls[member.calls[i]].position == static_cast<std::int64_t>(i));
    }
  }
  const Process& waiting = job->processes[0];
  const Call& last = waiting.calls.back();
  CHECK(last.state == CallState::kPending);
  CHECK(last.completed_ns == 0);
  const Shape& shape = waiting.shapes[last.shape];
  CHECK(shape.operation == OPERATION_ALLREDUCE);
  const Frame& frame = waiting.python_stacks.at(shape.python_stack).frames.at(0);
  CHECK(frame.file == "train.py");
  CHECK(frame.line == 57);
  CHECK(frame.function == "main");
  CHECK(job->now_ns == waiting.last_sign_ns);
  CHECK(job->now_ns - last.entered_ns > 29'000'000'000);
  CHECK(job->notes.empty());
  for (const InputFile& input : job->inputs)
    CHECK(input.state == "complete");
}

}  // namespace
}  // namespace rollcall::analyzer
