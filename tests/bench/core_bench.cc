// What a recorded call costs the guest: nanoseconds for enter, start and complete on one and two
// threads, with and without the helper thread, and bytes per call in a training loop. Each
// configuration is a child of its own, as a process records once.
#include <benchmark/benchmark.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "interpose/core/life.h"
#include "interpose/core/open_recorder.h"
#include "interpose/core/recorder.h"
#include "proto/trace_fields.h"

namespace {

using rollcall::interpose::CallArguments;

CallArguments Gradient(std::uint32_t communicator, unsigned bucket) {
  CallArguments call{};
  call.operation = ROLLCALL_OPERATION_ALLREDUCE;
  call.datatype = ROLLCALL_DATATYPE_F32;
  call.redop = ROLLCALL_REDUCE_OPERATION_SUM;
  call.element_bytes = 4;
  call.communicator = communicator;
  call.count = 1000 + bucket;
  call.dimension_count = 1;
  call.dimensions[0] = 1000 + bucket;
  call.library_name = "allreduce";
  return call;
}

std::uint32_t world;

void MakeCall(const CallArguments& call, std::uint64_t position) {
  const auto row = rollcall::interpose::EnterCall(call, position, 1);
  rollcall::interpose::StartCall(row);
  rollcall::interpose::CompleteCall(row);
}

void Call(benchmark::State& state) {
  const CallArguments call = Gradient(world, static_cast<unsigned>(state.thread_index()));
  for (auto _ : state)
    MakeCall(call, rollcall::interpose::kNoPosition);
}
BENCHMARK(Call)->Threads(1)->Threads(2)->UseRealTime();

void CallWithPosition(benchmark::State& state) {
  const CallArguments call = Gradient(world, 0);
  static std::uint64_t position = 0;
  for (auto _ : state)
    MakeCall(call, position++);
}
BENCHMARK(CallWithPosition)->UseRealTime();

void CallOfNewSize(benchmark::State& state) {
  CallArguments call = Gradient(world, 0);
  for (auto _ : state) {
    call.dimensions[0] = static_cast<std::int64_t>(++call.count);
    MakeCall(call, rollcall::interpose::kNoPosition);
  }
}
BENCHMARK(CallOfNewSize)->UseRealTime();

bool Open(const std::string& folder, bool helper) {
  rollcall::interpose::OpenOptions options;
  options.folder = folder.c_str();
  options.helper = helper;
  if (rollcall::interpose::OpenRecorder(options) != 0) return false;
  rollcall::interpose::CommunicatorArguments arguments;
  arguments.size = 4;
  world = rollcall::interpose::DefineCommunicator(arguments);
  return true;
}

int PrintBytesPerCall(const std::string& folder) {
  constexpr unsigned kCalls = 1'000'000, kBuckets = 8;
  if (!Open(folder, true)) return 1;
  for (unsigned i = 0; i < kCalls; ++i)
    MakeCall(Gradient(world, i % kBuckets), i);
  struct stat info;
  const std::string path = folder + "/" + rollcall::interpose::TraceFileName();
  if (stat(path.c_str(), &info) != 0) return 1;
  std::printf("bytes per call, %u calls of %u shapes: %.2f\n", kCalls, kBuckets,
              static_cast<double>(info.st_size) / kCalls);
  return 0;
}

template <class Body>
int InChild(Body body) {
  std::string folder = (std::filesystem::temp_directory_path() / "rollcall-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = body(folder);
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  int failures = InChild(PrintBytesPerCall);
  for (const bool helper : {true, false})
    failures += InChild([&](const std::string& folder) {
      std::printf("%s helper thread:\n", helper ? "with" : "without");
      if (!Open(folder, helper)) return 1;
      benchmark::RunSpecifiedBenchmarks();
      return 0;
    });
  return failures != 0;
}
