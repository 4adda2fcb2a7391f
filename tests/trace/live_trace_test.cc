// A trace by the real recorder, read while threads write it, in a ring so small that blocks are
// reused under the reader.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "analyzer/model/build_job.h"
#include "interpose/core/recorder.h"
#include "proto/trace_fields.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

// Calls of one communicator by one thread, counted in front of and behind each.
struct Caller {
  std::uint32_t communicator = 0;
  std::atomic<std::int64_t> entering{0}, entered{0};
  // Paces the caller, so that a slow machine's helper keeps up with it and the ring is run through
  // once.
  std::atomic<std::int64_t> allowed{0};
  std::atomic<bool> stop{false};

  void Run() {
    interpose::CallArguments call{};
    call.operation = ROLLCALL_OPERATION_ALLREDUCE;
    call.datatype = ROLLCALL_DATATYPE_F32;
    call.redop = ROLLCALL_REDUCE_OPERATION_SUM;
    call.element_bytes = 4;
    call.communicator = communicator;
    while (!stop) {
      if (entering >= allowed) {
        std::this_thread::yield();
        continue;
      }
      const std::int64_t number = entering.fetch_add(1);
      call.count = static_cast<std::uint64_t>(1 + number % 7);
      const interpose::Row row = interpose::EnterCall(call, static_cast<std::uint64_t>(number), 1);
      entered.fetch_add(1);
      interpose::StartCall(row);
      interpose::CompleteCall(row);
    }
  }
};

class Callers {
 public:
  Callers() {
    for (std::size_t i = 0; i < 2; ++i) {
      interpose::CommunicatorArguments group;
      group.size = 1;
      group.digest = 100 + i;
      group.name = i == 0 ? "world" : "other";
      callers_[i].communicator = interpose::DefineCommunicator(group);
      threads_[i] = std::thread([this, i] { callers_[i].Run(); });
    }
  }
  ~Callers() {
    for (Caller& caller : callers_)
      caller.stop = true;
    for (std::thread& thread : threads_)
      thread.join();
  }
  Caller& operator[](std::size_t i) { return callers_[i]; }

 private:
  Caller callers_[2];
  std::thread threads_[2];
};

void CheckSequence(const Process& process, const Participant& member) {
  std::int64_t position = member.first_position;
  for (const std::int64_t index : member.calls) {
    const Call& call = process.calls.at(index);
    INFO("row " << call.row << " position " << position << " first " << member.first_position
                << " of " << member.calls.size() << " calls " << process.calls.size()
                << " first row " << process.first_row << " lost " << process.lost_rows);
    REQUIRE(call.position == position);
    // What the caller asked for at this position.
    REQUIRE(call.count == static_cast<std::uint64_t>(1 + position % 7));
    ++position;
  }
}

TEST_CASE("a trace that is being written is read at any moment") {
  const TemporaryFolder folder;
  setenv("ROLLCALL_DIR", folder.path().c_str(), 1);
  setenv("ROLLCALL_MAX_MB", "2", 1);
  REQUIRE(interpose::EnsureRecording());
  Callers callers;
  std::int64_t reused = 0;
  for (int look = 0; look < 200 && reused == 0; ++look) {
    std::int64_t before[2];
    for (std::size_t i = 0; i < 2; ++i) {
      before[i] = callers[i].entered;
      callers[i].allowed += 3000;
    }
    const absl::StatusOr<Job> job = BuildJob({folder.path()});
    REQUIRE(job.ok());
    REQUIRE(job->processes.size() == 1);
    const Process& process = job->processes[0];
    if (process.lost_rows != 0) {
      WARN("the machine is too slow for so small a ring: rows were lost, the rest is skipped");
      return;
    }
    CHECK(process.end.kind == EndKind::kAlive);
    CHECK(job->inputs[0].state == "complete");
    for (const Communicator& communicator : job->communicators) {
      const Participant& member = communicator.members.at(0);
      const std::size_t i = communicator.name == "world" ? 0 : 1;
      CheckSequence(process, member);
      const std::int64_t end =
          member.first_position + static_cast<std::int64_t>(member.calls.size());
      // Blocks that were reused under the reader may end a sequence early; it says so.
      if (job->notes.empty()) CHECK(end >= before[i]);
      CHECK(end <= callers[i].entering);
    }
    reused = std::max(reused, process.first_row);
  }
  CHECK(reused > 0);
}

}  // namespace
}  // namespace rollcall::analyzer
