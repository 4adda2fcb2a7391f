// The files of a play: libprotobuf reads them, the model reads them, and their bytes are the same
// every time.
#include <filesystem>

#include "analyzer/model/build_job.h"
#include "analyzer/scenario/synthesize.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::tests {
namespace {

using analyzer::Job;
using analyzer::TemporaryFolder;
using analyzer::scenario::Synthesize;
using analyzer::scenario::TraceImage;

const char kEverything[] = R"(
world 4
comm tp 0,1
host 2,3 node-b
env 2 NCCL_PROTO=Simple
0-3: allreduce 1024 f32 sum @train.py:41 in main>step x1500
0-3: allreduce 7 f32 max @train.py:38 in main>step in-place
0,1: alltoall 3 f32 splits=1,2 on tp @tp.py:3
0-3: backward @train.py:40 in main x10
0: send 8 bf16 to=1 tag=5 @pp.py:2 ; 1: recv 8 bf16 from=0 tag=5 @pp.py:3
0,1: split color=1 as sub @g.py:4 ; allreduce 8 f32 on sub @g.py:5
2,3: split color=- @g.py:4
0: barrier !failed @train.py:60 in main ; raise "RuntimeError: Timed out" @train.py:60 in main
1: barrier !aborted @train.py:60 in main ; signal SEGV
2: busy @data.py:9 in main>load
3: barrier @train.py:60 in main
)";

std::vector<TraceImage> Images(const std::string& text) {
  const auto images = Synthesize(text, "s.txt");
  if (!images.ok()) throw std::runtime_error(std::string(images.status().message()));
  return *images;
}

Job JobOf(const std::string& text) {
  const TemporaryFolder folder;
  REQUIRE(WriteTraces(Images(text), folder.path()).ok());
  const absl::StatusOr<Job> job = analyzer::BuildJob({folder.path()});
  REQUIRE(job.ok());
  return *job;
}

TEST_CASE("libprotobuf reads every file, and finds every call") {
  for (const TraceImage& image : Images(kEverything)) {
    Trace trace;
    REQUIRE(trace.ParseFromString(image.bytes));
    int calls = 0;
    for (const CallBlock& block : trace.calls()) {
      for (const std::uint32_t shape : block.shape())
        calls += shape != 0 ? 1 : 0;
    }
    CHECK(calls >= 1502);
    CHECK(trace.header().version() != 0);
  }
}

TEST_CASE("the bytes are reproducible") {
  const std::vector<TraceImage> first = Images(kEverything), second = Images(kEverything);
  REQUIRE(first.size() == 4);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].name == second[i].name);
    CHECK((first[i].bytes == second[i].bytes));
  }
}

TEST_CASE("the model has what the scenario says") {
  const Job job = JobOf(kEverything);
  REQUIRE(job.processes.size() == 4);
  for (const std::string& note : job.notes)
    INFO(note);
  CHECK(job.notes.empty());
  const analyzer::Process& zero = job.processes[0];
  CHECK(zero.rank == 0);
  CHECK(zero.world_size == 4);
  CHECK(job.processes[2].host == "node-b");
  CHECK(job.processes[2].Setting("env.NCCL_PROTO") == "Simple");
  CHECK(job.processes[3].Setting("env.LOCAL_RANK") == "1");
  const analyzer::Shape& first = zero.shapes[zero.calls[0].shape];
  const std::vector<analyzer::Frame>& frames =
      zero.python_stacks.at(static_cast<std::size_t>(first.python_stack)).frames;
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].function == "all_reduce");
  CHECK(frames[1].file == "train.py");
  CHECK(frames[1].line == 41);
  CHECK(frames[1].function == "step");
  CHECK(frames[2].function == "main");
  CHECK(frames[2].line == 38);  // one line for all calls of step()
  const analyzer::Shape& other = zero.shapes[zero.calls[1500].shape];
  CHECK(zero.python_stacks.at(static_cast<std::size_t>(other.python_stack)).frames[1].line == 38);
  CHECK((other.flags & FLAG_IN_PLACE) != 0);
  CHECK(zero.end.kind == analyzer::EndKind::kException);
  CHECK(zero.calls.back().state == analyzer::CallState::kFailed);
  CHECK(zero.texts.at(static_cast<std::size_t>(zero.calls.back().error)) ==
        "RuntimeError: Timed out");
  CHECK(job.processes[1].end.kind == analyzer::EndKind::kSignal);
  CHECK(job.processes[1].calls.back().state == analyzer::CallState::kAborted);
  CHECK(job.processes[2].end.kind == analyzer::EndKind::kAlive);
  REQUIRE(job.processes[2].snapshots.size() == 1);
  REQUIRE(job.communicators.size() == 3);
  CHECK(job.communicators[0].is_world);
}

TEST_CASE("streams, groups, graphs and devices come through") {
  const Job job = JobOf(R"(
    world 2
    backend nccl
    env * CUDA_VISIBLE_DEVICES=4,5
    *: device 1
    *: allreduce 8 f32 stream=2 ; group { allreduce 8 f32 ; allgather 8 f32 } ; allreduce 8 f32
    *: capture g { barrier } ; replay g
    *: sync stream=2 ; sync
    0: shrink without=1 as rest
  )");
  const analyzer::Process& zero = job.processes[0];
  const auto shape = [&](std::size_t call) { return zero.shapes[zero.calls[call].shape]; };
  REQUIRE(zero.calls.size() == 9);
  CHECK(shape(0).stream == 3);
  CHECK(shape(1).stream == 1);
  CHECK(zero.calls[0].group == 0);
  CHECK(zero.calls[1].group == 1);
  CHECK(zero.calls[2].group == 1);
  CHECK(zero.calls[3].group == 0);
  CHECK(shape(4).flags == FLAG_CAPTURED);
  CHECK(zero.calls[4].position == -1);
  CHECK(zero.calls[4].state == analyzer::CallState::kUnwatched);
  CHECK(shape(5).flags == FLAG_REPLAYED);
  CHECK(zero.calls[5].position == 4);
  CHECK(shape(6).stream == 3);
  CHECK(shape(7).stream == 0);
  CHECK(shape(8).excluded == std::vector<int>{1});
  CHECK(job.communicators[0].Excludes(1, 5));
  CHECK_FALSE(job.communicators[0].Excludes(0, 5));
  const analyzer::CommunicatorHandle& world = zero.communicators[0];
  CHECK(world.device == 1);
  CHECK(world.bus_id == "0000:06:00.0");
}

TEST_CASE("fingerprints do not depend on streams, groups and graphs") {
  const auto hash = [](const std::string& calls) {
    Trace trace;
    REQUIRE(trace.ParseFromString(Images("world 1\nbackend nccl\n0: " + calls)[0].bytes));
    std::uint64_t found = 0;
    for (const Progress& progress : trace.progress())
      found = std::max(found, static_cast<std::uint64_t>(progress.hash()));
    return found;
  };
  CHECK(hash("allreduce 8 f32 ; allgather 4 f32") ==
        hash("group { allreduce 8 f32 stream=3 ; allgather 4 f32 }"));
  CHECK(hash("allreduce 8 f32") == hash("capture g { allreduce 8 f32 } ; replay g"));
}

TEST_CASE("restarts become incarnations, and an hour of silence stays one") {
  const Job job = JobOf("world 2\n*: barrier ; restart ; late 3600 ; barrier");
  REQUIRE(job.incarnations.size() == 2);
  CHECK(job.incarnations[1].restart == 1);
  REQUIRE(job.processes.size() == 4);
  const std::vector<analyzer::Call>& calls = job.processes[3].calls;
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].completed_ns > calls[0].entered_ns);
}

TEST_CASE("silence of an hour between two calls does not lose them") {
  const Job job = JobOf("world 2\n*: barrier\n0: late 3600\n*: barrier ; barrier");
  for (const analyzer::Process& process : job.processes) {
    REQUIRE(process.calls.size() == 3);
    for (const analyzer::Call& call : process.calls)
      CHECK(call.state == analyzer::CallState::kCompleted);
  }
  CHECK(job.processes[0].calls[1].entered_ns - job.processes[0].calls[0].entered_ns >
        3'600'000'000'000);
}

TEST_CASE("traces are not mixed with others") {
  const TemporaryFolder folder;
  const std::vector<TraceImage> images = Images("world 1\n0: barrier");
  REQUIRE(WriteTraces(images, folder.path()).ok());
  const absl::Status again = WriteTraces(images, folder.path());
  CHECK_FALSE(again.ok());
  CHECK(std::string(again.message()).find("holds traces already") != std::string::npos);
}

}  // namespace
}  // namespace rollcall::tests
