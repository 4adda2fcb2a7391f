// extra_call: ranks made a call that the others do not make; everything behind it is shifted.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "Look for a condition around this call that is not the same on all ranks: a rank test (saving, "
    "logging, validating), a "
    "file that exists on one machine only, a time that each rank measures by itself. Make the call "
    "on all ranks or on none.";

}  // namespace

std::optional<Finding> ExtraCall(const Examination& exam, const Sides& sides) {
  const Divergence& divergence = sides.divergence;
  const int theirs = sides.others.call_class, extra = sides.deviators.call_class;
  const bool known = Knows(exam, divergence.communicator, sides.deviators, theirs) ||
                     ClassAt(exam, sides, sides.deviators, divergence.position + 1) == theirs;
  if (!known || Knows(exam, divergence.communicator, sides.others, extra)) return std::nullopt;
  Finding finding = NewFinding("extra_call", "error");
  FillMismatch(exam, divergence, {sides.deviators}, &finding);
  finding.set_message(absl::StrCat(
      "extra call: ", AgainstEachOther(exam, divergence, {sides.deviators}, sides.others),
      "; the others never make that call"));
  finding.add_why(
      "the others' call is known to the deviating side, and the deviating call is unknown to the "
      "others");
  finding.add_why("another reading: the deviating side left a loop and went on behind it");
  finding.set_advice(kAdvice);
  return finding;
}

std::optional<Finding> ExtraCallOfFew(const Examination& exam, const Absence& absence) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  if (!absence.waiting || members.size() <= 2 || 2 * absence.absent.size() <= members.size())
    return std::nullopt;
  std::vector<int> makers;
  for (const int m : absence.present) {
    if (!exam.ending(members[static_cast<std::size_t>(m)].process).own()) makers.push_back(m);
  }
  if (makers.empty()) return std::nullopt;
  const Participant& first = members[static_cast<std::size_t>(makers.front())];
  const Call* call = CallAt(exam.job, first, absence.position);
  if (call == nullptr) return std::nullopt;
  const Group without{0, absence.absent};
  if (Knows(exam, absence.communicator, without, exam.classes.Of(first.process, *call)))
    return std::nullopt;
  const bool nothing_wrong = std::all_of(absence.absent.begin(), absence.absent.end(), [&](int m) {
    const int p = members[static_cast<std::size_t>(m)].process;
    const Ending& ending = exam.ending(p);
    const bool idle = ending.part == Part::kRunning && !exam.waits.Waiting(p);
    return idle ||
           (ending.part == Part::kLeft && (exam.process(p).end.status == 0 || ending.finishing));
  });
  if (!nothing_wrong) return std::nullopt;
  Finding finding = NewFinding("extra_call", "error");
  SetRanks(RanksOf(exam, absence.communicator, makers), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::vector<int> absent = RanksOf(exam, absence.communicator, absence.absent);
  finding.set_message(absl::StrCat(
      "extra call: ", RankWords(Ranks(finding)), " called ", CallWords(exam, first.process, *call),
      " at ", SiteWords(exam, exam.sites.OfCall(first.process, *call)), ", which ",
      RankWords(absent), ", more than half of the ranks, never made from anywhere"));
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace rollcall::analyzer
