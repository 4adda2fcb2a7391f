// Places in the user's code. Every process has stacks of its own; a site is the same number on all
// ranks, so that calls can be told apart by where they were made.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/align/api_name.h"
#include "analyzer/align/user_frame.h"
#include "analyzer/model/job.h"
#include "analyzer/trace/symbols.h"

namespace rollcall::analyzer {

struct Site {
  std::vector<Frame> frames;       // the user's, innermost first, paths shortened; never empty
  std::vector<std::string> paths;  // their files as recorded
  std::string api;                 // what the innermost one called: see ApiName
  std::string collective;          // function of torch.distributed in it: see DistributedFunction

  const Frame& where() const { return frames.front(); }
};

constexpr int kNoSite = -1;

class SiteTable {
 public:
  // user_code: see OriginOf.
  SiteTable(const Job& job, const std::string& user_code);

  // kNoSite where the trace has no frame of the user's.
  int OfShape(int process, std::uint32_t shape) const {
    return shapes_[static_cast<std::size_t>(process)][shape];
  }
  int OfCall(int process, const Call& call) const { return OfShape(process, call.shape); }
  int OfPythonStack(int process, int stack) const;

  const Site& at(int site) const { return sites_[static_cast<std::size_t>(site)]; }
  bool SameFunction(int a, int b) const;
  // The place alone, whatever is called there: equal for sites with equal frames.
  int PlaceOf(int site) const { return places_[static_cast<std::size_t>(site)]; }

 private:
  // folders: paths below the first one that fits are told relative to it.
  int Intern(const Stack& stack, Operation operation, const std::vector<std::string>& folders,
             const std::string& user_code);
  // Where a program without Python stands.
  int InternNative(const Process& process, int native_stack,
                   const std::vector<std::string>& folders, const std::string& user_code,
                   SymbolFinder& finder);

  std::vector<Site> sites_;
  std::vector<int> places_;  // by site
  absl::flat_hash_map<std::string, int> place_ids_;
  absl::flat_hash_map<std::string, int> ids_;
  std::vector<std::vector<int>> shapes_, python_stacks_;
};

}  // namespace rollcall::analyzer
