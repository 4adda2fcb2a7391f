// What a scenario says of a call or a process is in the job that the analyzer gets.
#include <algorithm>

#include "tests/catch.h"
#include "tests/diagnose/job_text.h"
#include "tests/scenario/played.h"

namespace rollcall::tests {
namespace {

using analyzer::Call;
using analyzer::CallState;
using analyzer::Frame;
using analyzer::Job;
using analyzer::Process;
using analyzer::Shape;

const Shape& ShapeOf(const Process& process, std::size_t call) {
  return process.shapes.at(process.calls.at(call).shape);
}

std::vector<Frame> FramesIn(const Process& process, std::size_t snapshot) {
  const int stack = process.snapshots.at(snapshot).threads.at(0).python_stack;
  return process.python_stacks.at(static_cast<std::size_t>(stack)).frames;
}

TEST_CASE("a communicator of another backend blocks its host, or does not") {
  CHECK(Outcome("world 2\nbackend nccl\ncomm join 0,1 backend=gloo\n"
                "0: barrier on join ; allreduce 8 f32\n1: busy @t.py:1") == "p ");
  CHECK(Outcome("world 2\ncomm fast 0,1 backend=nccl\n"
                "0: allreduce 8 f32 on fast ; allreduce 8 f32\n1: busy @t.py:1") == "pp ");
  const Job job =
      JobFromText("world 2\nbackend nccl\ncomm join 0,1 backend=gloo\n*: barrier on join");
  const auto join = std::find_if(job.communicators.begin(), job.communicators.end(),
                                 [](const auto& of) { return of.name == "join"; });
  REQUIRE(join != job.communicators.end());
  CHECK(join->library == LIBRARY_GLOO);
}

TEST_CASE("a host that waits says in what") {
  const Job job = JobFromText(
      "world 2\nbackend nccl\n0: allreduce 8 f32 ; sync in cudaFree @pool.py:3\n1: busy @t.py:1");
  CHECK(job.processes[0].calls.at(1).state == CallState::kPending);
  CHECK(ShapeOf(job.processes[0], 1).operation == OPERATION_SYNC);
  CHECK(ShapeOf(job.processes[0], 1).library_name == "cudaFree");
}

TEST_CASE("who is blocked says on what, and where in its own code") {
  const struct {
    const char *what, *function;
  } kinds[] = {{"lock", "wait"}, {"io", "readinto"}, {"store", "_store_based_barrier"}};
  for (const auto& kind : kinds) {
    const Job job = JobFromText(std::string("world 2\n0: barrier\n1: blocked @data.py:7 in main>"
                                            "load on ") +
                                kind.what);
    const std::vector<Frame> frames = FramesIn(job.processes[1], 0);
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].function == kind.function);
    CHECK(frames[1].file == "data.py");
    CHECK(frames[1].line == 7);
    CHECK(frames[1].function == "load");
  }
}

TEST_CASE("who makes progress is seen in two places of one line") {
  const Job job = JobFromText("world 2\n0: barrier\n1: busy @t.py:5 in main progressing\n");
  REQUIRE(job.processes[1].snapshots.size() == 2);
  const std::vector<Frame> first = FramesIn(job.processes[1], 0),
                           second = FramesIn(job.processes[1], 1);
  CHECK(first.at(0).function != second.at(0).function);
  CHECK(first.at(1).line == 5);
  CHECK(second.at(1).line == 5);
}

TEST_CASE("arguments of calls reach the job") {
  const Job job = JobFromText(R"(
    world 3
    backend nccl
    0-2: alltoall 6 f16 splits=1,2,3 stream=2 ; reduce 9 u8 max root=2 in-place
    0: send 5 bf16 to=1 tag=7 thread=1
    1: recv 5 bf16 from=0 tag=7
    0,1: shrink without=2 as rest
    2: exit 0
  )");
  const Process& zero = job.processes[0];
  CHECK(ShapeOf(zero, 0).input_splits == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(ShapeOf(zero, 0).datatype == DATATYPE_F16);
  CHECK(ShapeOf(zero, 1).root == 2);
  CHECK(ShapeOf(zero, 1).redop == REDUCE_OPERATION_MAX);
  CHECK((ShapeOf(zero, 1).flags & FLAG_IN_PLACE) != 0);
  CHECK(ShapeOf(zero, 0).stream != ShapeOf(zero, 1).stream);
  const auto call_of = [](const Process& process, Operation operation) -> const Call& {
    const auto found = std::find_if(
        process.calls.begin(), process.calls.end(),
        [&](const Call& call) { return process.shapes[call.shape].operation == operation; });
    REQUIRE(found != process.calls.end());
    return *found;
  };
  const Call& send = call_of(zero, OPERATION_SEND);
  CHECK(send.peer == 1);
  CHECK(send.tag == 7);
  CHECK(zero.shapes[send.shape].thread != ShapeOf(zero, 0).thread);
  CHECK(call_of(job.processes[1], OPERATION_RECV).peer == 0);
  CHECK(zero.shapes[call_of(zero, OPERATION_SHRINK).shape].excluded == std::vector<int>{2});
  CHECK(std::any_of(job.communicators.begin(), job.communicators.end(),
                    [](const auto& of) { return of.name == "rest" && of.size == 2; }));
}

TEST_CASE("captured calls and their replays are told apart") {
  const Job job =
      JobFromText("world 2\nbackend nccl\n*: capture g { allreduce 8 f32 @g.py:4 } ; replay g x3");
  const Process& zero = job.processes[0];
  REQUIRE(zero.calls.size() == 4);
  CHECK((ShapeOf(zero, 0).flags & FLAG_CAPTURED) != 0);
  CHECK(zero.calls[0].position == -1);
  for (std::size_t call = 1; call < 4; ++call) {
    CHECK((ShapeOf(zero, call).flags & FLAG_REPLAYED) != 0);
    CHECK(zero.calls[call].position == static_cast<std::int64_t>(call) - 1);
  }
}

TEST_CASE("calls of a group are entered together, others are in none") {
  const Job job = JobFromText(
      "world 2\nbackend nccl\n0: group { send 8 f32 to=1 ; recv 8 f32 from=1 }\n"
      "1: group { send 8 f32 to=0 ; recv 8 f32 from=0 }\n*: allreduce 8 f32");
  std::vector<std::uint32_t> groups;
  const Process& zero = job.processes[0];
  for (const Call& call : zero.calls) {
    const Operation operation = zero.shapes[call.shape].operation;
    if (operation < OPERATION_INIT) groups.push_back(call.group);
  }
  REQUIRE(groups.size() == 3);
  CHECK(groups[0] != 0);
  CHECK(groups[0] == groups[1]);
  CHECK(groups[2] == 0);
}

TEST_CASE("a further process claims a rank that another has") {
  const Job job = JobFromText("world 2\nprocess p9 rank=1\n*,p9: rendezvous size=2 @m.py:2");
  CHECK(std::count_if(job.processes.begin(), job.processes.end(),
                      [](const Process& process) { return process.rank == 1; }) == 2);
}

TEST_CASE("a creation that failed says with what") {
  const Job job = JobFromText("world 2\nbackend nccl\n0: init x size=2\n1: init x size=2 fails 2");
  const Call& failed = job.processes[1].calls.at(0);
  CHECK(failed.state == CallState::kFailed);
  REQUIRE(failed.error >= 0);
  CHECK(job.processes[1].texts.at(static_cast<std::size_t>(failed.error)).find("2") !=
        std::string::npos);
}

TEST_CASE("time passes where the scenario says so") {
  const Job job = JobFromText("world 2\n*: barrier\n1: late 30.5 @save.py:9\n*: barrier");
  const std::vector<Call>& calls = job.processes[1].calls;
  CHECK(calls.at(1).entered_ns - calls.at(0).completed_ns >= 30'500'000'000);
  CHECK(job.processes[0].calls.at(1).completed_ns >= calls.at(1).entered_ns);
}

}  // namespace
}  // namespace rollcall::tests
