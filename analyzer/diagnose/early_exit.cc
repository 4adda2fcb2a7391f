// early_exit: a process ended by itself (return from main, exit, an exception of its own), or left
// the group, before calls that the others wait in.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/ended_at_start.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// "left main() at train.py:41 (exit status 0)".
std::string HowItLeft(const Examination& exam, int process) {
  const Ending& ending = exam.ending(process);
  const Place place = PlaceOf(exam, process);
  const std::string function =
      place.site == kNoSite ? "" : exam.sites.at(place.site).where().function;
  const std::string line = SiteLine(exam, place.site);
  if (ending.part == Part::kRaised) {
    if (place.of_exception || !place.of_last_call)
      return absl::StrCat(ending.how, " at ", SiteWords(exam, place.site));
    return absl::StrCat(ending.how, ", after its last call at ", SiteWords(exam, place.site));
  }
  if (ending.part == Part::kReaction) {
    return absl::StrCat("was stopped by an error of the library after its last call at ", line,
                        ending.reaction_text.empty() ? "" : ": ", ending.reaction_text);
  }
  std::string what;
  if (!ending.own()) {
    what = "left the group";
  } else if (function.empty() || function == "<module>") {
    what = "left the script";
  } else {
    what = absl::StrCat("left ", function, "()");
  }
  const Call* last = LastCall(exam, process);
  const std::string after = place.of_last_call && last != nullptr
                                ? absl::StrCat(" after its ", CallName(exam, process, *last))
                                : "";
  return absl::StrCat(what, after, " at ", line,
                      ending.how.empty() ? "" : absl::StrCat(" (", ending.how, ")"));
}

std::string Advice(const Examination& exam, const std::vector<int>& processes) {
  const bool raised = std::any_of(processes.begin(), processes.end(),
                                  [&](int p) { return exam.ending(p).part == Part::kRaised; });
  if (raised) {
    return "Fix the exception of this rank; the errors of the others follow from it. If one rank "
           "may fail, let all ranks agree on it "
           "(all_reduce a flag) before the next collective call.";
  }
  return "Let every rank reach the same collective calls: look for a return, break, exit or "
         "condition on this rank's path between "
         "the two lines, such as a shorter data loader, an empty batch, or code under a rank test. "
         "If a rank may stop early, "
         "let all ranks agree on it (all_reduce a flag) before they go on.";
}

}  // namespace

std::optional<Finding> EarlyExit(const Examination& exam, const Absence& absence) {
  std::vector<int> left = AbsentLeft(exam, absence);
  // Nobody else is absent: then those that an error of the library stopped are all that is known.
  if (left.empty() && AbsentReacted(exam, absence).size() == absence.absent.size())
    left = AbsentReacted(exam, absence);
  if (left.empty()) return std::nullopt;
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  std::vector<int> processes;
  for (const int m : left)
    processes.push_back(members[static_cast<std::size_t>(m)].process);
  Finding finding = NewFinding("early_exit", "error");
  finding.set_returned_early(true);
  SetRanks(RanksOf(exam, absence.communicator, left), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::string waiting = WaitingWords(exam, absence);
  finding.set_message(absl::StrCat(RankWords(Ranks(finding)),
                                   " returned early: ", HowItLeft(exam, processes.front()),
                                   waiting.empty() ? "" : absl::StrCat(" while ", waiting)));
  std::vector<RankRemark> remarks;
  std::vector<int> by_last_call;
  for (const int p : processes) {
    const int rank = exam.process(p).rank;
    remarks.emplace_back(rank, HowItLeft(exam, p));
    if (!exam.ending(p).own() && !exam.process(p).end.exception.empty())
      remarks.emplace_back(
          rank, absl::StrCat("had an exception before: ", exam.process(p).end.exception));
    const std::string since = SinceLastCall(exam, p);
    if (!since.empty()) remarks.emplace_back(rank, since);
    if (PlaceOf(exam, p).of_last_call && exam.ending(p).own()) by_last_call.push_back(rank);
  }
  AddRemarks(remarks, &finding);
  if (!by_last_call.empty()) {
    std::sort(by_last_call.begin(), by_last_call.end());
    finding.add_why(absl::StrCat(
        "the line of ", RankWords(by_last_call), " is that of ", Verb(by_last_call, "its", "their"),
        " last collective call: ", Verb(by_last_call, "it", "they"), " ended somewhere behind it"));
  }
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(Advice(exam, processes));
  return finding;
}

std::vector<Finding> LeftAtStart(const Examination& exam) {
  const EndedAtStart ended = FindEndedAtStart(exam, false);
  if (ended.processes.empty()) return {};
  Finding finding = NewFinding("early_exit", "error");
  finding.set_returned_early(true);
  std::vector<int> ranks;
  for (const int p : ended.processes)
    ranks.push_back(exam.process(p).rank);
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  finding.set_message(absl::StrCat(RankWords(Ranks(finding)),
                                   " returned early: ", HowItLeft(exam, ended.processes.front()),
                                   " while ", StartWaitingWords(exam, ended)));
  AddEndedAtStart(exam, ended, &finding);
  finding.set_advice(Advice(exam, ended.processes));
  return {finding};
}

std::optional<Finding> FailedQuietly(const Examination& exam) {
  std::vector<int> failed, ranks;
  for (const int p : exam.processes()) {
    const Ending& ending = exam.ending(p);
    const bool bad_status =
        ending.part == Part::kLeft && exam.process(p).end.status != 0 && !ending.finishing;
    const bool reacted =
        ending.part == Part::kReaction && exam.process(p).end.kind != EndKind::kAlive;
    if (ending.part == Part::kRaised || bad_status || reacted) failed.push_back(p);
  }
  if (failed.empty()) return std::nullopt;
  for (const int p : failed)
    ranks.push_back(exam.process(p).rank);
  Finding finding = NewFinding("early_exit", "warning");
  SetRanks(ranks, &finding);
  finding.set_message(absl::StrCat(RankWords(Ranks(finding)),
                                   " ended with an error: ", HowItLeft(exam, failed.front()),
                                   "; no rank waited for ", Verb(Ranks(finding), "it", "them")));
  for (const int p : failed)
    finding.add_why(absl::StrCat("rank ", exam.process(p).rank, ": ", HowItLeft(exam, p)));
  finding.set_advice("All collective calls were in step: the error is this program's own.");
  return finding;
}

}  // namespace rollcall::analyzer
