// late_rank: everybody is in the call, but the peers of a rank had already given up when it came.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> LateRank(const Examination& exam, const Absence& absence) {
  if (!absence.absent.empty() || !absence.unseen.empty() || !absence.gave_up) return std::nullopt;
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  // Who was in the call less than half as long as those whose patience ran out came late; each
  // measures by its own clock.
  std::int64_t patience = 0;
  for (const int m : absence.present) {
    const Participant& member = members[static_cast<std::size_t>(m)];
    if (exam.ending(member.process).reaction != LibraryError::kTimeout) continue;
    const Call* call = CallAt(exam.job, member, absence.position);
    if (call == nullptr || !IsUnfinished(exam.process(member.process), *call)) return std::nullopt;
    patience = std::max(patience, NsInCall(exam.job, member.process, *call));
  }
  if (patience == 0) return std::nullopt;
  std::vector<int> late;
  for (const int m : absence.present) {
    const Participant& member = members[static_cast<std::size_t>(m)];
    const Call* call = CallAt(exam.job, member, absence.position);
    if (call == nullptr) return std::nullopt;
    if (NsInCall(exam.job, member.process, *call) < patience / 2) late.push_back(m);
  }
  if (late.empty() || late.size() == absence.present.size()) return std::nullopt;
  // The job died of it: more than the warning that a late rank is otherwise.
  Finding finding = NewFinding("late_rank", "error");
  SetRanks(RanksOf(exam, absence.communicator, late), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const Participant& first = members[static_cast<std::size_t>(late.front())];
  const Call* call = CallAt(exam.job, first, absence.position);
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " came late to ", CallName(exam, first.process, *call), " at ",
      SiteLine(exam, exam.sites.OfCall(first.process, *call)), ": ", RankWords(Victims(finding)),
      " had given up after ", Duration(patience)));
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(
      "See what this rank does before the call (saving, validating, loading, compiling). Do it on "
      "all ranks or in the background, or "
      "raise the timeout of the group.");
  return finding;
}

}  // namespace rollcall::analyzer
