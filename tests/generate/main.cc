// Random jobs, correct ones and ones with a fault, judged by the analyzer: prints a score by kind,
// and fails when it is not full.
//
//   generated_jobs [--seed N] [--only K] [--correct N] [--faulty N] [--workers N] [--examples N]
//                  [--all yes] [--kinds FILE]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "tests/generate/generated_job.h"
#include "tests/generate/judge.h"
#include "tests/generate/not_asserted.h"
#include "tests/generate/score_table.h"
#include "tests/generate/shrink.h"
#include "tests/generate/workers.h"

namespace rollcall::tests::generate {
namespace {

struct Options {
  Run run{0, 500, 500, 1};
  int only = -1;
  int examples = 1;   // of each fault that are shown reduced, where the analyzer is wrong
  bool all = false;   // also of those that are not asserted yet
  std::string kinds;  // file for the kinds that were told right
};

std::uint64_t Seed() {
  if (const char* given = std::getenv("ROLLCALL_SEED")) return std::strtoull(given, nullptr, 10);
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count() %
                                    100'000'000);
}

void Describe(const GeneratedJob& job, const Score& score, std::uint64_t seed) {
  std::cout << "\n== job " << job.number << " of seed " << seed << ": "
            << (job.kind.empty() ? "nothing is wrong" : job.expectation.fault)
            << "\n   expected: " << TextOf(job.expectation) << "\n   "
            << (score.Full() ? "right" : "wrong: ") << score.what << "\n";
}

int RunOne(const Options& options) {
  const GeneratedJob job = MakeJob(options.run.seed, options.only, options.run.correct);
  const TraceFolder folder;
  std::cout << TextOf(job.script);
  const Score score = Judge(job.script, job.expectation, folder);
  Describe(job, score, options.run.seed);
  const Report report = ReportOn(job.script, false, folder);
  std::cout << "\n" << report.DebugString();
  if (score.Full()) return 0;
  std::cout << "\n== reduced\n" << TextOf(Shrink(job.script, job.expectation, folder));
  return 1;
}

// For the table of kinds and sources: kinds that were told right.
void WriteKinds(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  for (const Row& row : rows) {
    const int wrong = static_cast<int>(row.wrong.size());
    if (row.kind != "none" && wrong < row.jobs) file << row.kind << " " << row.jobs - wrong << "\n";
  }
}

bool IsCrash(const Score& score) {
  return score.what.find("crashed") != std::string::npos;
}

// Examples in full, the others by number. Returns whether a row is wrong more often than allowed,
// or a job crashed.
bool PrintWrong(const Options& options, const std::vector<Row>& rows,
                const std::vector<Score>& scores) {
  const TraceFolder folder;
  bool failed = false;
  for (const Row& row : rows) {
    const bool crashed = std::any_of(row.wrong.begin(), row.wrong.end(), [&](int number) {
      return IsCrash(scores[static_cast<std::size_t>(number)]);
    });
    const bool fails = crashed || static_cast<int>(row.wrong.size()) > WrongAllowed(row);
    failed = failed || fails;
    if (!fails && !options.all) continue;
    for (std::size_t i = 0; i < row.wrong.size(); ++i) {
      const int number = row.wrong[i];
      const Score& score = scores[static_cast<std::size_t>(number)];
      const GeneratedJob job = MakeJob(options.run.seed, number, options.run.correct);
      Describe(job, score, options.run.seed);
      // A crash would be one here too.
      if (i < static_cast<std::size_t>(options.examples) && !IsCrash(score))
        std::cout << "   reduced:\n" << TextOf(Shrink(job.script, job.expectation, folder));
    }
  }
  return failed;
}

int RunMany(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Score> scores = RunAll(options.run);
  const std::vector<Row> rows = Rows(options.run, scores);
  const bool failed = PrintWrong(options, rows, scores);
  std::cout << "\n";
  Print(rows, std::cout);
  std::cout << options.run.correct + options.run.faulty << " jobs of seed " << options.run.seed
            << " in "
            << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()
            << " s; one again: --seed " << options.run.seed << " --correct " << options.run.correct
            << " --only NUMBER\n";
  if (!options.kinds.empty()) WriteKinds(rows, options.kinds);
  return failed ? 1 : 0;
}

int Main(int count, char** words) {
  Options options;
  options.run.seed = Seed();
  options.run.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i], value = words[i + 1];
    if (name == "--seed") options.run.seed = std::stoull(value);
    if (name == "--only") options.only = std::stoi(value);
    if (name == "--correct") options.run.correct = std::stoi(value);
    if (name == "--faulty") options.run.faulty = std::stoi(value);
    if (name == "--workers") options.run.workers = std::stoi(value);
    if (name == "--examples") options.examples = std::stoi(value);
    if (name == "--all") options.all = value == "yes";
    if (name == "--kinds") options.kinds = value;
  }
  std::cout << "seed " << options.run.seed << std::endl;
  return options.only >= 0 ? RunOne(options) : RunMany(options);
}

}  // namespace
}  // namespace rollcall::tests::generate

int main(int count, char** words) {
  return rollcall::tests::generate::Main(count, words);
}
