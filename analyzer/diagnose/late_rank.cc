// late_rank: everybody comes, or will come, but one rank so late that the others waited long for
// it. It is busy at a place that can be told.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/lateness.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "See what this rank does before the call (saving, validating, loading, compiling). Do it on "
    "all ranks or in the background, or raise the timeout of the group.";

const Participant& MemberOf(const Examination& exam, int communicator, int member) {
  return exam.communicator(communicator).members[static_cast<std::size_t>(member)];
}

// Those absent, when all of them are known to make progress.
std::optional<Finding> StillBusy(const Examination& exam, const Absence& absence) {
  std::vector<int> busy = AbsentAlive(exam, absence);
  std::erase_if(busy, [&](int m) {
    return !MakesProgress(exam, MemberOf(exam, absence.communicator, m).process);
  });
  if (busy.empty()) return std::nullopt;
  Finding finding = NewFinding("late_rank", absence.gave_up ? "error" : "warning");
  SetRanks(RanksOf(exam, absence.communicator, busy), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const int first = MemberOf(exam, absence.communicator, busy.front()).process;
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " ", Verb(Ranks(finding), "is", "are"),
                   " late, not stuck: busy at ", SiteWords(exam, PlaceOf(exam, first).site),
                   " while ", WaitingWords(exam, absence), " for ", Duration(absence.waited_ns)));
  for (const int m : busy) {
    const int p = MemberOf(exam, absence.communicator, m).process;
    finding.add_why(absl::StrCat("rank ", exam.process(p).rank, ": alive at ",
                                 SiteWords(exam, PlaceOf(exam, p).site),
                                 ", and its stack changed between two snapshots"));
  }
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace

std::optional<Finding> LateRank(const Examination& exam, const Absence& absence) {
  if (!absence.absent.empty()) return StillBusy(exam, absence);
  if (!absence.unseen.empty() || !absence.gave_up) return std::nullopt;
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  // Who was in the call less than half as long as those whose patience ran out came late, or who
  // made no call for longer than that before; each measures by its own clock.
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
    const bool short_stay = NsInCall(exam.job, member.process, *call) < patience / 2;
    const bool busy_before = absence.position > 0 &&
                             exam.ending(member.process).reaction != LibraryError::kTimeout &&
                             BusyBefore(exam, member.process, *call) > patience;
    if (short_stay || busy_before) late.push_back(m);
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
  finding.set_advice(kAdvice);
  return finding;
}

std::optional<Finding> LateQuietly(const Examination& exam) {
  const std::vector<Lateness> all = FindLateness(exam);
  if (all.empty()) return std::nullopt;
  const Lateness& longest = all.front();
  Finding finding = NewFinding("late_rank", "warning");
  SetRanks(RanksOf(exam, longest.communicator, longest.late), &finding);
  for (const int rank : RanksOf(exam, longest.communicator, longest.waiting))
    finding.add_victims(rank);
  for (const int m : longest.late) {
    const Participant& member = MemberOf(exam, longest.communicator, m);
    const Call& of = *CallAt(exam.job, member, longest.position);
    AddSiteOf(exam, member.process, SiteBefore(exam, member.process, of), &finding);
  }
  AddPlace(exam, longest.communicator, longest.position, &finding);
  const Participant& first = MemberOf(exam, longest.communicator, longest.late.front());
  const Call& call = *CallAt(exam.job, first, longest.position);
  const int busy_at = SiteBefore(exam, first.process, call);
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " came ", Duration(longest.waited_ns), " late to ",
                   CallName(exam, first.process, call), " at ",
                   SiteLine(exam, exam.sites.OfCall(first.process, call)), ": ",
                   busy_at == kNoSite ? absl::StrCat("made no call for ", Duration(longest.busy_ns))
                                      : absl::StrCat("was busy at ", SiteWords(exam, busy_at)),
                   ", while ", RankWords(Victims(finding)), " waited; the job went on"));
  finding.add_why(absl::StrCat(
      RankWords(Victims(finding)), " waited up to ", Duration(longest.waited_ns), " ",
      CommunicatorWords(exam, longest.communicator), " at position ", longest.position,
      "; usually a wait at this place is shorter than ",
      Duration(LateAfterNs(exam, longest.communicator, exam.sites.OfCall(first.process, call)))));
  finding.add_why(absl::StrCat("before this call ", RankWords(Ranks(finding)),
                               " made no other for ", Duration(longest.busy_ns)));
  if (longest.times > 1)
    finding.add_why(absl::StrCat("it was late here ", longest.times, " times; this was the worst"));
  for (std::size_t i = 1; i < std::min<std::size_t>(all.size(), 4); ++i) {
    finding.add_why(absl::StrCat(RankWords(RanksOf(exam, all[i].communicator, all[i].late)),
                                 " came ", Duration(all[i].waited_ns), " late ",
                                 CommunicatorWords(exam, all[i].communicator), " at position ",
                                 all[i].position));
  }
  AddLastCommonCall(exam, longest.communicator, longest.position, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace rollcall::analyzer
