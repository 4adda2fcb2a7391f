// double_gradient_sync: DistributedDataParallel reduces the gradients in the backward pass, and the
// user's code reduces as many numbers again before the next one.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/gradients.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// Once may be chance.
constexpr std::int64_t kLeastSteps = 2;

struct Doubled {
  std::int64_t steps = 0;     // that reduced buckets
  std::int64_t twice = 0;     // and as many numbers again
  std::uint64_t numbers = 0;  // of the last such step
  int bucket_site = kNoSite, user_site = kNoSite;
};

// Sums of one step: what DDP reduced, and what the user did behind it, by function.
class Steps {
 public:
  Steps(const Examination& exam, int process) : exam_(exam), process_(process) {}

  void Add(const Call& call) {
    const Shape& shape = exam_.ShapeOf(process_, call);
    if (shape.operation != OPERATION_ALLREDUCE || !IsFloating(shape)) return;
    const int site = exam_.sites.OfCall(process_, call);
    if (site == kNoSite) return;
    if (InBackward(exam_, process_, call)) {
      if (!user_.empty()) Close();
      buckets_ += call.count * shape.tensors;
      doubled_.bucket_site = site;
    } else if (buckets_ > 0) {
      const Frame& where = exam_.sites.at(site).where();
      Sum& sum = user_[absl::StrCat(where.file, ":", where.function)];
      sum.numbers += call.count * shape.tensors;
      sum.site = site;
    }
  }
  Doubled Finish() {
    Close();
    return doubled_;
  }

 private:
  struct Sum {
    std::uint64_t numbers = 0;
    int site = kNoSite;
  };

  void Close() {
    if (buckets_ > 0) ++doubled_.steps;
    for (const auto& [function, sum] : user_) {
      if (buckets_ < 2 || sum.numbers != buckets_) continue;
      ++doubled_.twice;
      doubled_.numbers = buckets_;
      doubled_.user_site = sum.site;
      break;
    }
    buckets_ = 0;
    user_.clear();
  }

  const Examination& exam_;
  int process_;
  std::uint64_t buckets_ = 0;
  std::map<std::string, Sum> user_;
  Doubled doubled_;
};

}  // namespace

std::optional<Finding> DoubleGradientSync(const Examination& exam) {
  std::vector<int> ranks;
  Doubled shown;
  Finding finding = NewFinding("double_gradient_sync", "warning");
  for (const int p : exam.processes()) {
    const Process& process = exam.process(p);
    if (process.rank < 0 || GroupSize(process) < 2) continue;
    Steps steps(exam, p);
    for (const Call& call : process.calls)
      steps.Add(call);
    const Doubled doubled = steps.Finish();
    if (doubled.twice < kLeastSteps || 2 * doubled.twice < doubled.steps) continue;
    if (ranks.empty()) shown = doubled;
    ranks.push_back(process.rank);
    AddSiteOf(exam, p, doubled.user_site, &finding);
  }
  if (ranks.empty()) return std::nullopt;
  SetRanks(ranks, &finding);
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " ", Verb(ranks, "reduces", "reduce"),
                   " the gradients twice: the backward pass at ", SiteLine(exam, shown.bucket_site),
                   " does it already, and ", SiteWords(exam, shown.user_site),
                   " all-reduces as many numbers (", shown.numbers, ") again before the next one"));
  finding.add_why(absl::StrCat("in ", shown.twice, " of ", shown.steps,
                               " steps the user's all-reduces add up to those of the backward "
                               "pass, number for number"));
  finding.add_why(
      "another reading: the code averages the parameters after each step, which is as large, and "
      "as needless when gradients are reduced");
  finding.set_advice(
      "Remove the all-reduce by hand, or the wrapper. With a sum instead of a mean, reducing twice "
      "multiplies the gradients by the number of ranks.");
  return finding;
}

}  // namespace rollcall::analyzer
