// aborted: a member aborted a communicator, while no call of its own was pending, that others still
// use.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"
#include "analyzer/match/leaving.h"

namespace rollcall::analyzer {

std::optional<Finding> Aborted(const Examination& exam, const Absence& absence) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  const auto member = [&](int m) -> const Participant& {
    return members[static_cast<std::size_t>(m)];
  };
  // Who aborted first: clocks of hosts do not tell, positions do.
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::vector<int> aborted = AbsentAborted(exam, absence);
  // All are there: then those that gave it up with the call under way.
  for (const int m : absence.present) {
    if (absence.absent.empty() && absence.unseen.empty() &&
        LeaveOf(exam.process(member(m).process), member(m).handle).kind == LeaveKind::kAborted)
      aborted.push_back(m);
  }
  for (const int m : aborted)
    earliest = std::min(earliest, EndPosition(exam.job, member(m)));
  std::vector<int> first;
  std::copy_if(aborted.begin(), aborted.end(), std::back_inserter(first),
               [&](int m) { return EndPosition(exam.job, member(m)) == earliest; });
  if (first.empty()) return std::nullopt;
  Finding finding = NewFinding("aborted", "error");
  SetRanks(RanksOf(exam, absence.communicator, first), &finding);
  AddVictims(exam, &finding);
  std::vector<std::string> why;
  for (const int m : first) {
    const int p = member(m).process;
    const Call& abort = *LeaveOf(exam.process(p), member(m).handle).call;
    AddCallAndSite(exam, p, abort, &finding);
    const std::string& exception = exam.process(p).end.exception;
    why.push_back(
        absl::StrCat("rank ", exam.process(p).rank, " aborted it at ",
                     SiteWords(exam, exam.sites.OfCall(p, abort)),
                     abort.state == CallState::kPending ? ", and the abort does not return" : "",
                     exception.empty() ? "" : absl::StrCat(", after an exception: ", exception)));
  }
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::string waiting = WaitingWords(exam, absence);
  const int p = member(first.front()).process;
  const Call& abort = *LeaveOf(exam.process(p), member(first.front()).handle).call;
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " aborted the communicator ",
      exam.communicator(absence.communicator).name, " at ",
      SiteWords(exam, exam.sites.OfCall(p, abort)),
      waiting.empty() ? ", which others still use" : absl::StrCat(" while ", waiting)));
  for (const std::string& sentence : why)
    finding.add_why(sentence);
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(
      "Abort on all ranks or on none: let the ranks agree that the step failed (over the store, or "
      "another group) before one of them aborts. See what made this rank abort.");
  return finding;
}

}  // namespace rollcall::analyzer
