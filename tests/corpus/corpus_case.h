// A case of traces/ as trace files on disk, which a test renames, takes away and damages, and the
// verdict on what is left.
#pragma once

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "report.pb.h"
#include "tests/model/synthetic_job.h"
#include "tools/rollcall/corpus.h"

namespace rollcall::tests {

class CorpusCase {
 public:
  explicit CorpusCase(const std::filesystem::path& folder);

  const std::string& name() const { return name_; }
  const Report& whole() const { return whole_; }  // the verdict on all files as they are
  std::size_t files() const { return images_.size(); }
  const std::string& bytes(std::size_t file) const { return images_[file].bytes; }
  int rank(std::size_t file) const { return ranks_[file]; }  // -1 = unknown

  // The verdict without one file.
  Report Without(std::size_t file) const;
  // The verdict with other bytes in one file.
  Report With(std::size_t file, const std::string& bytes) const;
  // The verdict on files of other names, given in another order; its inputs bear the true names.
  Report Renamed(std::mt19937& random) const;

 private:
  std::string PathOf(std::size_t file) const;
  void Replace(std::size_t file, const std::string& bytes) const;
  Report Analyze(const std::vector<std::string>& paths) const;

  std::string name_;
  std::vector<analyzer::scenario::TraceImage> images_;
  analyzer::TemporaryFolder folder_;
  Report whole_;
  std::vector<int> ranks_;
};

// Calls visit with each case of the corpus; of a sample of them under sanitizers, which are slow.
void ForEachCase(std::mt19937& random, const std::function<void(const CorpusCase& of)>& visit);

// From ROLLCALL_SEED or the clock; says it on standard output, so that a failure can be repeated.
std::mt19937 PrintedSeed();

}  // namespace rollcall::tests
