// Rows a second from files to the Job: budget 20 million on two cores. Two ranks with 4 million
// calls each, in bounded rings and as a whole.
#include <benchmark/benchmark.h>

#include "analyzer/model/build_job.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/model/parallel.h"
#include "analyzer/trace/rows.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

constexpr int kRanks = 2;

// One folder for all benchmarks of a size.
const TemporaryFolder& Traces(int calls) {
  static std::map<int, TemporaryFolder> folders;
  const auto [found, is_new] = folders.try_emplace(calls);
  if (is_new) {
    for (int rank = 0; rank < kRanks; ++rank) {
      SyntheticRank one(rank, kRanks);
      for (int i = 0; i < calls; ++i)
        one.Completed(one.Allreduce(1024, 10 + i % 64));
      one.Alive();
      one.Write(found->second);
    }
  }
  return found->second;
}

void ReadRows(benchmark::State& state) {
  const auto calls = static_cast<int>(state.range(0));
  const TemporaryFolder& folder = Traces(calls);
  for (auto _ : state) {
    ParallelFor(kRanks, [&](std::size_t rank) {
      const std::string path =
          folder.path() + "/node." + std::to_string(1000 + rank) + ".5.rollcall";
      const TraceFile trace = ReadTraceFile(path);
      absl::StatusOr<RowReader> reader = RowReader::Open(path);
      std::vector<Row> rows;
      std::int64_t sum = 0;
      for (const CallBlockPlace& place : trace.call_blocks) {
        rows.clear();
        reader->ReadRows(place, rows);
        for (const Row& row : rows)
          sum += row.completed_ns;
      }
      benchmark::DoNotOptimize(sum);
    });
  }
  state.SetItemsProcessed(state.iterations() * kRanks * calls);
}
BENCHMARK(ReadRows)->Arg(1'900'000)->UseRealTime()->Unit(benchmark::kMillisecond);

// 1.9 million calls each: all rows are decoded. 4 million: fingerprints say that nothing parts, so
// the tails alone are.
void BuildWholeJob(benchmark::State& state) {
  const auto calls = static_cast<int>(state.range(0));
  const TemporaryFolder& folder = Traces(calls);
  for (auto _ : state)
    benchmark::DoNotOptimize(BuildJob({folder.path()}));
  state.SetItemsProcessed(state.iterations() * kRanks * calls);
}
BENCHMARK(BuildWholeJob)
    ->Arg(1'900'000)
    ->Arg(4'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rollcall::analyzer

BENCHMARK_MAIN();
