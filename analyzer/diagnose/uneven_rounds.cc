// uneven_rounds: ranks left the same loop after different numbers of rounds and went on elsewhere.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/loop.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
std::optional<Finding> UnevenRounds(const Examination& exam, const Sides& sides) {
  const Loop loop = LoopOfOthers(exam, sides);
  if (LeftLoop(exam, sides, loop) != Leaving::kLeft) return std::nullopt;
  const int site = exam.classes.at(sides.others.call_class).site,
            next = exam.classes.at(sides.deviators.call_class).site;
  Finding finding = NewFinding("uneven_rounds", "error");
  finding.set_returned_early(true);
  FillMismatch(exam, sides.divergence, {sides.deviators}, &finding);
  const std::vector<int> ranks = Ranks(finding);
  finding.set_message(
      absl::StrCat(RankWords(ranks), " returned early: left the loop at ", SiteWords(exam, site),
                   " after ", loop.rounds, loop.rounds == 1 ? " round" : " rounds",
                   " and went on to ", SiteLine(exam, next), ", while ",
                   RankWords(RanksOf(exam, sides.divergence.communicator, sides.others.members)),
                   " went on in the loop"));
  finding.add_why(
      "another reading: the call behind the loop is an extra one that belongs to no rank's plan");
  StateUndecided(exam, sides.divergence, &finding);
  finding.set_advice(
      "Give all ranks the same number of rounds: equal batches per rank (drop_last, "
      "DistributedSampler), the same accumulation steps, "
      "or DDP's join() context manager for uneven inputs.");
  return finding;
}

}  // namespace rollcall::analyzer
