// rollcall test: the analyzer over cases with expected findings.
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/scenario/synthesize.h"
#include "tools/rollcall/analysis.h"
#include "tools/rollcall/commands.h"
#include "tools/rollcall/corpus.h"
#include "tools/rollcall/expectation.h"

namespace rollcall::tools {
namespace {

namespace fs = std::filesystem;

// What is played must not stay: a folder that goes with its contents.
class PlayedTraces {
 public:
  PlayedTraces() {
    std::string pattern = (fs::temp_directory_path() / "rollcall-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~PlayedTraces() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  PlayedTraces(const PlayedTraces&) = delete;
  PlayedTraces& operator=(const PlayedTraces&) = delete;

  absl::Status Play(const fs::path& folder) {
    const auto images = TracesOfCase(folder);
    return images.ok() ? analyzer::scenario::WriteTraces(*images, path_) : images.status();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What differs in one case; `verdict` is for people.
absl::StatusOr<std::vector<std::string>> RunCase(const fs::path& folder, std::string& verdict) {
  const absl::StatusOr<Expectation> expectation =
      ParseExpectation(ReadWhole(folder / "expected.txt"), (folder / "expected.txt").string());
  if (!expectation.ok()) return expectation.status();
  PlayedTraces played;
  std::string traces = folder.string();
  if (fs::exists(folder / "scenario.txt")) {
    const absl::Status status = played.Play(folder);
    if (!status.ok()) return status;
    traces = played.path();
  }
  const absl::StatusOr<Report> report = AnalyzePaths({traces});
  if (!report.ok()) {
    verdict = std::string(report.status().message());
    Report empty;
    empty.add_limits(verdict);
    return Differences(*expectation, empty, kCannotAnalyze);
  }
  verdict = report->verdict();
  return Differences(*expectation, *report,
                     HasFinding(*report, "error") ? kFindings : kNothingFound);
}

int Test(const std::string& corpus) {
  const std::vector<fs::path> cases = FindCases(corpus);
  if (cases.empty()) {
    std::cerr << "rollcall: no folder with an expected.txt in " << corpus << "\n";
    return kCannotAnalyze;
  }
  int differ = 0, broken = 0;
  for (const fs::path& folder : cases) {
    std::string name = fs::relative(folder, corpus).string();
    if (name == ".") name = folder.filename().string();
    std::string verdict;
    const absl::StatusOr<std::vector<std::string>> differences = RunCase(folder, verdict);
    if (!differences.ok()) {
      ++broken;
      std::cout << "BAD   " << name << "  " << std::string(differences.status().message()) << "\n";
      continue;
    }
    std::cout << (differences->empty() ? "ok    " : "FAIL  ") << std::left << std::setw(24) << name
              << " " << verdict << "\n";
    for (const std::string& difference : *differences)
      std::cout << "      " << difference << "\n";
    differ += differences->empty() ? 0 : 1;
  }
  std::cout << cases.size() << (cases.size() == 1 ? " case, " : " cases, ") << differ << " differ";
  if (broken != 0) std::cout << ", " << broken << " could not be run";
  std::cout << std::endl;
  if (broken != 0) return kCannotAnalyze;
  return differ != 0 ? kFindings : kNothingFound;
}

}  // namespace

Action DeclareTest(CLI::App& options, const std::vector<std::string>&) {
  const auto corpus = std::make_shared<std::string>();
  options
      .add_option("CORPUS", *corpus,
                  "A folder of cases: expected.txt with scenario.txt or *.rollcall files")
      ->required();
  options.footer(
      "Exit status: 0 all as expected, 1 something differs, 2 a case could not be run, 64 wrong "
      "usage.\n" +
      options.get_footer());
  return [corpus] { return Test(*corpus); };
}

}  // namespace rollcall::tools
