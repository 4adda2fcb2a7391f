// Whole jobs with damaged traces through the whole pipeline, to the report as JSON and as text: it
// must not crash, hang, or take memory without bound.
//   damaged_jobs FOLDER [--rounds N] [--seconds S] [--seed K]
// The traces of a round that fails are left in FOLDER, with its seed in seed.txt.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_text.h"
#include "analyzer/scenario/synthesize.h"
#include "tests/fuzz/mutate.h"

namespace rollcall::tests {
namespace {

using analyzer::scenario::TraceImage;

constexpr unsigned kSecondsOfRound = 60;
constexpr long kMostKib = 3L << 20;  // with the shadow of a sanitizer

constexpr const char* kJobs[] = {
    "world 4\n0-3: allreduce 1024 f32 sum @train.py:41 in main x1500\n2: exit 0\n0,1,3: barrier "
    "@train.py:57 in main\n",
    "world 4\ncomm tp 0,1\ncomm dp 2,3\n*: allreduce 8 f32 @a.py:1 x5\n0,1: allgather 64 bf16 on "
    "tp "
    "@tp.py:2 x40\n2,3: reduce 4 f32 root=0 on dp @dp.py:3 x7\n1: allreduce 9 f32 @a.py:4\n*: "
    "barrier "
    "@a.py:5\n",
    "world 3\nbackend nccl\n0: send 8 bf16 to=1 @pp.py:2\n1: recv 8 bf16 from=0 @pp.py:3\n*: "
    "allreduce "
    "8 f32 @a.py:1 x1100\n0,1: split color=1 as sub @g.py:4 ; allreduce 8 f32 on sub @g.py:5\n2: "
    "split "
    "color=- @g.py:4\n2: raise \"ValueError: x\" @b.py:3\n*: allreduce 16 f32 @a.py:9\n",
    "world 2\n*: barrier ; restart ; barrier x3\n0: recv 4 f32 from=1 @a.py:2\n1: recv 4 f32 "
    "from=0 "
    "@a.py:3\n",
    "world 4\n0-2: rendezvous size=4 @m.py:2\n3: rendezvous size=3 @m.py:2\n",
};

struct Options {
  std::string folder;
  long rounds = 0, seconds = 0;
  std::uint64_t seed = 1;
};

std::vector<std::vector<TraceImage>> PlayJobs() {
  std::vector<std::vector<TraceImage>> jobs;
  for (const char* text : kJobs) {
    const auto images = analyzer::scenario::Synthesize(text, "job");
    if (!images.ok()) {
      std::cerr << std::string(images.status().message()) << "\n";
      std::exit(1);
    }
    jobs.push_back(*images);
  }
  return jobs;
}

void WriteDamaged(const std::vector<TraceImage>& job, const std::string& folder, Random& random) {
  for (const TraceImage& image : job) {
    std::string bytes = image.bytes;
    const TraceImage& other = job[random() % job.size()];
    const std::uint64_t times = random() % 3 == 0 ? 0 : 1 + random() % 3;
    for (std::uint64_t i = 0; i < times; ++i)
      Damage(bytes, other.bytes, random);
    std::ofstream(folder + "/" + image.name, std::ios::binary) << bytes;
  }
}

void Analyze(const std::string& folder) {
  const absl::StatusOr<analyzer::Job> job = analyzer::BuildJob({folder});
  if (!job.ok()) return;
  const Report report = analyzer::Diagnose(*job);
  static_cast<void>(analyzer::JsonReport(report));
  static_cast<void>(analyzer::TextReport(report, {}));
}

int Run(const Options& options) {
  const std::vector<std::vector<TraceImage>> jobs = PlayJobs();
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    return options.seconds > 0 &&
           std::chrono::steady_clock::now() - begin >= std::chrono::seconds(options.seconds);
  };
  long round = 0;
  for (; (options.rounds == 0 || round < options.rounds) && !over(); ++round) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(round);
    Random random(seed);
    std::filesystem::remove_all(options.folder);
    std::filesystem::create_directories(options.folder);
    std::ofstream(options.folder + "/seed.txt") << seed << "\n";
    WriteDamaged(jobs[random() % jobs.size()], options.folder, random);
    alarm(kSecondsOfRound);  // a hang ends by SIGALRM
    Analyze(options.folder);
    alarm(0);
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > kMostKib) {
      std::cerr << "seed " << seed << ": took " << usage.ru_maxrss << " KiB\n";
      return 1;
    }
  }
  std::filesystem::remove_all(options.folder);
  std::cerr << round << " damaged jobs, seeds from " << options.seed << "\n";
  return 0;
}

}  // namespace
}  // namespace rollcall::tests

int main(int argc, char** argv) {
  rollcall::tests::Options options;
  if (argc % 2 != 0) {
    std::cerr << "usage: damaged_jobs FOLDER [--rounds N] [--seconds S] [--seed K]\n";
    return 64;
  }
  options.folder = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    const long value = std::strtol(argv[i + 1], nullptr, 10);
    if (name == "--rounds") options.rounds = value;
    if (name == "--seconds") options.seconds = value;
    if (name == "--seed") options.seed = static_cast<std::uint64_t>(value);
  }
  return rollcall::tests::Run(options);
}
