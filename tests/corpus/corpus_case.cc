#include "tests/corpus/corpus_case.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "tools/rollcall/analysis.h"

namespace rollcall::tests {

namespace fs = std::filesystem;

CorpusCase::CorpusCase(const fs::path& folder)
    : name_(fs::relative(folder, ROLLCALL_CORPUS).string()) {
  auto images = tools::TracesOfCase(folder);
  if (!images.ok()) throw std::runtime_error(std::string(images.status().message()));
  images_ = *std::move(images);
  for (const analyzer::scenario::TraceImage& image : images_)
    folder_.Write(image.name, image.bytes);
  whole_ = Analyze({folder_.path()});
  std::map<std::string, int> ranks;
  for (const Input& input : whole_.inputs())
    ranks[input.file()] = input.rank();
  for (std::size_t file = 0; file < images_.size(); ++file)
    ranks_.push_back(ranks.count(PathOf(file)) != 0 ? ranks[PathOf(file)] : -1);
}

std::string CorpusCase::PathOf(std::size_t file) const {
  return absl::StrCat(folder_.path(), "/", images_[file].name);
}

Report CorpusCase::Analyze(const std::vector<std::string>& paths) const {
  absl::StatusOr<Report> report = tools::AnalyzePaths(paths);
  if (report.ok()) return *std::move(report);
  Report unfit;
  unfit.set_could_not_analyze(true);
  unfit.add_limits(std::string(report.status().message()));
  return unfit;
}

Report CorpusCase::Without(std::size_t file) const {
  std::vector<std::string> paths;
  for (std::size_t other = 0; other < images_.size(); ++other) {
    if (other != file) paths.push_back(PathOf(other));
  }
  return Analyze(paths);
}

// A file that is made anew, and not overwritten, waits for no disk.
void CorpusCase::Replace(std::size_t file, const std::string& bytes) const {
  fs::remove(PathOf(file));
  folder_.Write(images_[file].name, bytes);
}

Report CorpusCase::With(std::size_t file, const std::string& bytes) const {
  Replace(file, bytes);
  const Report report = Analyze({folder_.path()});
  Replace(file, images_[file].bytes);
  return report;
}

Report CorpusCase::Renamed(std::mt19937& random) const {
  std::vector<std::size_t> names(images_.size());
  for (std::size_t file = 0; file < names.size(); ++file)
    names[file] = file;
  std::shuffle(names.begin(), names.end(), random);
  std::map<std::string, std::string> true_names;
  std::vector<std::string> paths;
  for (std::size_t file = 0; file < images_.size(); ++file) {
    paths.push_back(absl::StrCat(folder_.path(), "/", names[file], ".rollcall"));
    fs::rename(PathOf(file), paths.back());
    true_names[paths.back()] = PathOf(file);
  }
  std::vector<std::string> order = paths;
  std::shuffle(order.begin(), order.end(), random);
  Report report = Analyze(order);
  for (std::size_t file = 0; file < images_.size(); ++file)
    fs::rename(paths[file], PathOf(file));
  for (Input& input : *report.mutable_inputs())
    input.set_file(true_names[input.file()]);
  std::sort(report.mutable_inputs()->begin(), report.mutable_inputs()->end(),
            [](const Input& a, const Input& b) {
              return a.rank() != b.rank() ? a.rank() < b.rank() : a.file() < b.file();
            });
  return report;
}

void ForEachCase(std::mt19937& random, const std::function<void(const CorpusCase& of)>& visit) {
  std::vector<fs::path> folders = tools::FindCases(ROLLCALL_CORPUS);
  if (folders.empty()) throw std::runtime_error("no case in " ROLLCALL_CORPUS);
#ifdef ROLLCALL_CORPUS_SAMPLE
  std::shuffle(folders.begin(), folders.end(), random);
  folders.resize(std::min<std::size_t>(folders.size(), ROLLCALL_CORPUS_SAMPLE));
#else
  static_cast<void>(random);
#endif
  for (const fs::path& folder : folders)
    visit(CorpusCase(folder));
}

std::mt19937 PrintedSeed() {
  const char* given = std::getenv("ROLLCALL_SEED");
  const auto seed =
      given != nullptr
          ? std::strtoul(given, nullptr, 10)
          : static_cast<unsigned long>(std::chrono::system_clock::now().time_since_epoch().count());
  const auto shown = static_cast<std::uint32_t>(seed);
  std::cout << "ROLLCALL_SEED=" << shown << std::endl;
  return std::mt19937(shown);
}

}  // namespace rollcall::tests
