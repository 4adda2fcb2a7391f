// Writes the traces of a large job for the benchmarks: every rank makes the same steps of ten
// all-reduces, until the rank in the middle breaks step.
//   write_job RANKS CALLS FOLDER [--blocks N] [--differ POSITION] [--group SIZE]
// By default the rank in the middle never makes the last call. With --differ it makes a call of its
// own at that position and is one call behind from then on. With --blocks only the newest N call
// blocks are left of each trace, as after reuse. With --group every second call is made on a group
// of SIZE consecutive ranks.
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "analyzer/model/parallel.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

struct Options {
  int ranks = 0, calls = 0, blocks = 0, differ = -1, group = 0;
  std::string folder;
};

constexpr int kCallsOfStep = 10;
constexpr std::uint32_t kGroupId = 2;
constexpr int kRanksOfHost = 8;

void AddGroup(int rank, int size, TraceWriter& writer) {
  Definition definition;
  rollcall::Communicator* group = definition.mutable_communicator();
  group->set_id(kGroupId);
  group->set_rank(static_cast<std::uint32_t>(rank % size));
  group->set_size(static_cast<std::uint32_t>(size));
  group->set_digest(static_cast<std::uint64_t>(1000 + rank / size));
  group->set_name("tp");
  group->set_library(LIBRARY_GLOO);
  writer.AddDefinition(definition);
}

std::string Trace(int number, const Options& options) {
  SyntheticRank rank(number, options.ranks);
  TraceWriter& writer = rank.writer();
  if (options.group > 0) AddGroup(number, options.group, writer);
  std::vector<std::uint32_t> shapes;
  for (int i = 0; i < kCallsOfStep; ++i) {
    CallShape shape = rank.Allreduce(static_cast<std::uint64_t>(1024 * (i + 1)), 40 + i);
    if (options.group > 0 && i % 2 == 1) shape.set_communicator(kGroupId);
    shapes.push_back(writer.AddShape(shape));
  }
  const bool deviates = number == options.ranks / 2;
  // A shape that is defined was used.
  const std::uint32_t own =
      deviates && options.differ >= 0 ? writer.AddShape(rank.Allreduce(1, 99)) : 0;
  std::int64_t now = rank.now();
  int made = 0;
  for (int i = 0; i < options.calls; ++i) {
    const bool last = i + 1 == options.calls;
    if (last && deviates && options.differ < 0) break;
    now += 100'000;
    const bool differs = deviates && i == options.differ;
    const std::uint32_t shape =
        differs ? own : shapes[static_cast<std::size_t>(made % kCallsOfStep)];
    writer.AddRow({shape, now, now + 10'000, last ? 0 : now + 50'000, false, false});
    if (!differs) ++made;
  }
  rank.Alive();
  writer.state().heartbeat_ns = static_cast<std::uint64_t>(now + 100'000'000'000);
  return writer.Finish(options.blocks);
}

bool ReadNumber(const char* text, int* number) {
  const std::string whole = text;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), *number);
  return error == std::errc() && end == whole.data() + whole.size() && *number >= 0;
}

bool Parse(int argc, char** argv, Options* options) {
  if (argc < 4 || !ReadNumber(argv[1], &options->ranks) || !ReadNumber(argv[2], &options->calls))
    return false;
  options->folder = argv[3];
  for (int i = 4; i < argc; i += 2) {
    const std::string name = argv[i];
    int* value = name == "--blocks"   ? &options->blocks
                 : name == "--differ" ? &options->differ
                 : name == "--group"  ? &options->group
                                      : nullptr;
    if (value == nullptr || i + 1 == argc || !ReadNumber(argv[i + 1], value)) return false;
  }
  return options->ranks > 0 && options->calls > 0;
}

}  // namespace
}  // namespace rollcall::analyzer

int main(int argc, char** argv) {
  using namespace rollcall::analyzer;
  Options options;
  if (!Parse(argc, argv, &options)) {
    std::cerr
        << "usage: write_job RANKS CALLS FOLDER [--blocks N] [--differ POSITION] [--group SIZE]\n";
    return 64;
  }
  std::filesystem::create_directories(options.folder);
  std::atomic<bool> written = true;
  ParallelFor(static_cast<std::size_t>(options.ranks), [&](std::size_t rank) {
    const std::string host = "node" + std::to_string(rank / kRanksOfHost);
    std::ofstream file(
        options.folder + "/" + host + "." + std::to_string(1000 + rank) + ".5.rollcall",
        std::ios::binary);
    file << Trace(static_cast<int>(rank), options);
    file.close();
    if (!file) written = false;
  });
  if (!written) std::cerr << "write_job: cannot write to " << options.folder << "\n";
  return written ? 0 : 1;
}
