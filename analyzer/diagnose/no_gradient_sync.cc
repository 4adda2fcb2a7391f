// no_gradient_sync: backward passes, and nothing that could have reduced their gradients: every
// rank trains a model of its own.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/gradients.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// One pass may be a trial, and its gradients may be reduced later; a job that goes on may just be
// accumulating.
constexpr std::int64_t kPassesOfEndedJob = 2, kPassesOfRunningJob = 1000;

// Any call behind the first pass that may have carried gradients. Shapes tell of calls whose rows
// are gone.
bool AnyExchange(const Process& process, std::int64_t first_ns) {
  const bool rows_are_gone = process.first_row > 0 || process.lost_rows > 0;
  const auto may = [](const Shape& shape) {
    const bool varies = (shape.variable & VARIABLE_COUNT) != 0;
    return MayCarryGradients(shape, varies ? 2 : shape.count);
  };
  if (rows_are_gone && std::any_of(process.shapes.begin(), process.shapes.end(), may)) return true;
  return std::any_of(process.calls.begin(), process.calls.end(), [&](const Call& call) {
    return call.entered_ns >= first_ns && MayCarryGradients(process.shapes[call.shape], call.count);
  });
}

bool TrainsAlone(const Examination& exam, int index) {
  const Process& process = exam.process(index);
  const BackwardSite* site = MainBackwardSite(process);
  if (site == nullptr || GroupSize(process) < 2) return false;
  const bool running = process.end.kind == EndKind::kAlive || process.end.kind == EndKind::kUnknown;
  if (site->passes < (running ? kPassesOfRunningJob : kPassesOfEndedJob)) return false;
  const auto first = std::min_element(
      process.backward.begin(), process.backward.end(),
      [](const BackwardSite& a, const BackwardSite& b) { return a.first_ns < b.first_ns; });
  return !AnyExchange(process, first->first_ns);
}

}  // namespace

std::optional<Finding> NoGradientSync(const Examination& exam) {
  std::vector<int> alone;
  for (const int p : exam.processes()) {
    if (!exam.ending(p).breaks_off && exam.process(p).rank >= 0 && TrainsAlone(exam, p))
      alone.push_back(p);
  }
  // One rank that trains among others that do not has nobody to share gradients with.
  if (alone.size() < 2) return std::nullopt;
  Finding finding = NewFinding("no_gradient_sync", "warning");
  std::vector<int> ranks;
  std::int64_t fewest = MainBackwardSite(exam.process(alone.front()))->passes, most = fewest;
  for (const int p : alone) {
    const BackwardSite& site = *MainBackwardSite(exam.process(p));
    ranks.push_back(exam.process(p).rank);
    fewest = std::min(fewest, site.passes);
    most = std::max(most, site.passes);
    AddSiteOf(exam, p, exam.sites.OfPythonStack(p, site.python_stack), &finding);
  }
  SetRanks(ranks, &finding);
  const BackwardSite& first = *MainBackwardSite(exam.process(alone.front()));
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " ran ",
                   fewest == most ? absl::StrCat(most) : absl::StrCat(fewest, " to ", most),
                   " backward passes each at ",
                   SiteWords(exam, exam.sites.OfPythonStack(alone.front(), first.python_stack)),
                   ", and no gradients were reduced: every rank trains a model of its own"));
  finding.add_why(
      "since the first backward pass no call brought more than one floating-point number of other "
      "ranks to these ranks");
  finding.add_why(absl::StrCat("between the first and the last pass lie ",
                               Duration(first.last_ns - first.first_ns), " on rank ",
                               exam.process(alone.front()).rank));
  finding.add_why(
      "what the traces cannot show: gradients that go another way than through this library, such "
      "as MPI, files or a parameter server");
  finding.set_advice(
      "Wrap the model in DistributedDataParallel and call the wrapped model, not model.module; "
      "with no_sync(), leave it in the last pass before the optimizer's step; by hand, all-reduce "
      "every gradient before the step.");
  return finding;
}

}  // namespace rollcall::analyzer
