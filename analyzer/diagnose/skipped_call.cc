// skipped_call: ranks left out a call that the others make, and are one call ahead from then on.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// Does `call` follow the others' call: in their sequence, or in an earlier round?
bool Follows(const Examination& exam, const Sides& sides, int call) {
  const std::int64_t position = sides.divergence.position;
  if (ClassAt(exam, sides, sides.others, position + 1) == call) return true;
  for (std::int64_t at = position - 1; at >= 0; --at) {
    const int before = ClassAt(exam, sides, sides.others, at);
    if (before == kNoClass) break;
    if (before == sides.others.call_class)
      return at + 1 < position && ClassAt(exam, sides, sides.others, at + 1) == call;
  }
  return false;
}

}  // namespace

std::optional<Finding> SkippedCall(const Examination& exam, const Sides& sides) {
  if (!Follows(exam, sides, sides.deviators.call_class) || Reordered(exam, sides))
    return std::nullopt;
  Finding finding = NewFinding("skipped_call", "error");
  FillMismatch(exam, sides.divergence, {sides.deviators}, &finding);
  const Participant& other = exam.communicator(sides.divergence.communicator)
                                 .members[static_cast<std::size_t>(sides.others.members.front())];
  const Call& skipped = *CallAt(exam.job, other, sides.divergence.position);
  const int next = exam.classes.at(sides.deviators.call_class).site;
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " skipped ", CallWords(exam, other.process, skipped), " at ",
      SiteWords(exam, exam.sites.OfCall(other.process, skipped)),
      " and went on to the call behind it at ", SiteLine(exam, next), ", while ",
      RankWords(RanksOf(exam, sides.divergence.communicator, sides.others.members)), " made it"));
  finding.add_why("the deviating call is the one that follows the others' call");
  finding.set_advice(
      "Look for a path on this rank that leaves the call out: an early return or continue, an "
      "empty batch, a parameter without "
      "gradient, an exception that was caught.");
  return finding;
}

}  // namespace rollcall::analyzer
