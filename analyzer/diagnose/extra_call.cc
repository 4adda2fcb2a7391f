// extra_call: ranks made a call that the others do not make; everything behind it is shifted.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/loop.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "Look for a condition around this call that is not the same on all ranks: a rank test (saving, "
    "logging, validating), a "
    "file that exists on one machine only, a time that each rank measures by itself. Make the call "
    "on all ranks or on none.";

// Inserted by the script, and either from a place that the others never called from, or proven by
// where both sides end.
bool Inserted(const Examination& exam, const Sides& sides) {
  const EditScript& script = sides.script;
  if (&sides.deviators == &sides.divergence.groups.front() && !sides.divergence.tie()) return false;
  if (!script.resynchronised() || !script.Begins(EditKind::kInserted) || script.Shift() <= 0)
    return false;
  return script.ends_together ||
         !Knows(exam, sides.divergence.communicator, sides.others, sides.deviators.call_class);
}

// The others' call is known to the deviators, or their next one; theirs is unknown to the others.
bool Intruder(const Examination& exam, const Sides& sides) {
  const int theirs = sides.others.call_class;
  const Divergence& divergence = sides.divergence;
  // Of a majority only when it may have left a loop in which the others went on.
  const bool majority = &sides.deviators == &divergence.groups.front() && !divergence.tie();
  if (majority && LeftLoop(exam, sides, LoopOfOthers(exam, sides)) != Leaving::kPerhaps)
    return false;
  if (sides.script.resynchronised() &&
      (sides.script.LeavesOut() || sides.script.Begins(EditKind::kSwapped)))
    return false;
  const bool known = Knows(exam, divergence.communicator, sides.deviators, theirs) ||
                     ClassAt(exam, sides, sides.deviators, divergence.position + 1) == theirs;
  return known && !Knows(exam, divergence.communicator, sides.others, sides.deviators.call_class);
}

}  // namespace

std::optional<Finding> ExtraCall(const Examination& exam, const Sides& sides) {
  const bool inserted = Inserted(exam, sides);
  if (!inserted && !Intruder(exam, sides)) return std::nullopt;
  const Divergence& divergence = sides.divergence;
  const bool known = Knows(exam, divergence.communicator, sides.others, sides.deviators.call_class);
  Finding finding = NewFinding("extra_call", "error");
  FillMismatch(exam, divergence, {sides.deviators}, &finding);
  finding.set_message(absl::StrCat(
      "extra call: ", AgainstEachOther(exam, divergence, {sides.deviators}, sides.others),
      known ? "; the others do not make that call here" : "; the others never make that call"));
  if (inserted) {
    const std::int64_t calls = sides.script.FirstRun();
    finding.add_why(absl::StrCat(
        "without ", calls == 1 ? "that call" : absl::StrCat("those ", calls, " calls"),
        sides.script.matched == 1 ? ", the next call of both sides is the same"
                                  : absl::StrCat(", the next ", sides.script.matched,
                                                 " calls of both sides are the same")));
  } else {
    finding.add_why(
        "the others' call is known to the deviating side, and the deviating call is unknown to the "
        "others");
    finding.add_why("another reading: the deviating side left a loop and went on behind it");
  }
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

namespace {

// Whether few make an extra call, or few left early, only those who are not visible could tell.
Finding ExtraOrEarly(const Examination& exam, const Absence& absence,
                     const std::vector<int>& makers) {
  Finding finding = NewFinding("missing_rank", "error");
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::vector<int> unseen = RanksOf(exam, absence.communicator, absence.unseen);
  finding.set_message(absl::StrCat(WaitingWords(exam, absence), ": an extra call of ",
                                   RankWords(RanksOf(exam, absence.communicator, makers)), ", or ",
                                   RankWords(RanksOf(exam, absence.communicator, absence.absent)),
                                   " left early: the whole ", Verb(unseen, "trace", "traces"),
                                   " of ", RankWords(unseen), " would tell"));
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace

std::optional<Finding> ExtraCallOfFew(const Examination& exam, const Absence& absence) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  // Those who are not visible may tip what is more than half.
  const bool most = 2 * absence.absent.size() > members.size();
  const bool open = !most && !absence.absent.empty() &&
                    2 * (absence.absent.size() + absence.unseen.size()) > members.size();
  if (!absence.waiting || members.size() <= 2 || (!most && !open)) return std::nullopt;
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
  if (open) return ExtraOrEarly(exam, absence, makers);
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
