// init_incomplete of those who failed in a rendezvous or in the construction of a group by
// themselves, or who claim a rank that the world does not have.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/start_failure.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// What became of the others in it, while or after one failed.
void AddOthers(const Examination& exam, const Start& start, const StartFailure& failure,
               Finding* finding) {
  std::vector<int> wait, failed, done;
  std::int64_t waited_ns = 0;
  for (const StartCall& of : start.calls) {
    if (std::count(failure.processes.begin(), failure.processes.end(), of.process) != 0) continue;
    const int rank = exam.process(of.process).rank;
    if (of.call->state == CallState::kFailed) {
      failed.push_back(rank);
    } else if (of.call->state == CallState::kCompleted) {
      done.push_back(rank);
    } else {
      wait.push_back(rank);
      waited_ns = std::max(waited_ns, NsInCall(exam.job, of.process, *of.call));
    }
  }
  for (std::vector<int>* ranks : {&wait, &failed, &done})
    std::sort(ranks->begin(), ranks->end());
  if (!wait.empty())
    finding->add_why(absl::StrCat(RankWords(wait), Verb(wait, " waits", " wait"), " in it for ",
                                  Duration(waited_ns), ", and cannot get out without ",
                                  RankWords(Ranks(*finding))));
  if (!failed.empty())
    finding->add_why(absl::StrCat(RankWords(failed),
                                  " failed in it too; this is a consequence, "
                                  "not the cause"));
  if (!done.empty())
    finding->add_why(
        absl::StrCat(RankWords(done), Verb(done, " has", " have"), " left it",
                     failure.concerns_address && Serves(exam.process(failure.call->process))
                         ? absl::StrCat(": what answered ", Verb(done, "it", "them"),
                                        " was not rank ", exam.process(failure.call->process).rank)
                         : ""));
}

// Who claims a rank that the world does not have, where that stops somebody.
std::vector<int> BeyondSize(const Examination& exam, const Start& start) {
  std::vector<int> beyond;
  const bool of_world = start.communicator < 0 || exam.communicator(start.communicator).is_world;
  if (!of_world || start.sizes_differ || !exam.Definite(start)) return beyond;
  for (const StartCall& of : start.calls) {
    const int size = static_cast<int>(std::min<std::uint64_t>(of.call->count, 1U << 24));
    if (size > 0 && exam.process(of.process).rank >= size) beyond.push_back(of.process);
  }
  return beyond;
}

Finding NoSuchRank(const Examination& exam, const Start& start, const std::vector<int>& beyond) {
  Finding finding = NewFinding("init_incomplete", "error");
  SetRanks(RanksOfProcesses(exam, beyond), &finding);
  AddVictims(exam, &finding);
  AddStart(exam, start, &finding);
  const auto size = start.calls.front().call->count;
  const std::vector<int> ranks = Ranks(finding);
  finding.set_message(absl::StrCat(
      RankWords(ranks), Verb(ranks, " does", " do"), " not exist in a world of ", size,
      ": ranks count from 0 to ", size - 1, "; asked for in ", StartName(exam, start), " at ",
      SiteWords(exam, exam.sites.OfCall(start.calls.front().process, *start.calls.front().call))));
  for (const int p : beyond) {
    if (finding.why_size() < 8)
      finding.add_why(absl::StrCat("process ", exam.process(p).pid, " on ", exam.process(p).host,
                                   " is rank ", exam.process(p).rank, " by its ",
                                   exam.process(p).rank_source));
  }
  std::vector<int> nobody;
  for (const int rank : start.absent) {
    const bool there = std::any_of(exam.processes().begin(), exam.processes().end(),
                                   [&](int p) { return exam.process(p).rank == rank; });
    if (!there) nobody.push_back(rank);
  }
  if (!nobody.empty())
    finding.add_why(absl::StrCat("nobody that is visible here is ", RankWords(nobody)));
  finding.set_advice(
      "Give the processes the ranks from 0 to WORLD_SIZE - 1, each once: with several machines, "
      "RANK is the machine's number times the processes per machine, plus LOCAL_RANK.");
  return finding;
}

Finding Failed(const Examination& exam, const Start& start, const StartFailure& failure) {
  Finding finding = NewFinding("init_incomplete", "error");
  SetRanks(RanksOfProcesses(exam, failure.processes), &finding);
  AddVictims(exam, &finding);
  AddStart(exam, start, &finding);
  finding.set_message(FailureWords(exam, start, failure));
  for (const int p : failure.processes) {
    const auto of = std::find_if(start.calls.begin(), start.calls.end(),
                                 [&](const StartCall& call) { return call.process == p; });
    if (finding.why_size() >= 8) break;
    const Ending& ending = exam.ending(p);
    finding.add_why(absl::StrCat("rank ", exam.process(p).rank, " failed ",
                                 Duration(NsInCall(exam.job, p, *of->call)), " after it came",
                                 ending.part == Part::kLeft ? ", and ended: " : "",
                                 ending.part == Part::kLeft ? ending.how : ""));
  }
  if (failure.local != LocalError::kNone)
    finding.add_why(
        absl::StrCat("rank ", exam.process(failure.call->process).rank, " says: ", failure.text));
  AddOthers(exam, start, failure, &finding);
  finding.set_advice(FailureAdvice(exam, failure));
  return finding;
}

}  // namespace

std::vector<Finding> FailedAtStart(const Examination& exam) {
  for (const Start& start : exam.starts) {
    const std::vector<int> beyond = BeyondSize(exam, start);
    if (!beyond.empty()) return {NoSuchRank(exam, start, beyond)};
    const StartFailure failure = FailureIn(exam, start);
    if (!failure.processes.empty()) return {Failed(exam, start, failure)};
  }
  return {};
}

}  // namespace rollcall::analyzer
