// init_incomplete: a rendezvous, or the construction of a group, that not all ranks joined, or that
// failed on some.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

std::string StartName(const Examination& exam, const Start& start) {
  if (start.communicator < 0) return "the rendezvous";
  const Communicator& of = exam.communicator(start.communicator);
  return of.is_world ? "the construction of the world"
                     : absl::StrCat("the construction of group ", of.name);
}

// Failed by an error that is no reaction to others.
std::vector<int> FailedIn(const Examination& exam, const Start& start) {
  std::vector<int> failed;
  for (const StartCall& of : start.calls) {
    if (of.call->state == CallState::kFailed && !IsUnfinished(exam.process(of.process), *of.call))
      failed.push_back(of.process);
  }
  return failed;
}

Finding Incomplete(const Examination& exam, const Start& start, const std::vector<int>& failed) {
  Finding finding = NewFinding("init_incomplete", "error");
  std::vector<int> ranks = start.absent;
  for (const int p : failed)
    ranks.push_back(exam.process(p).rank);
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  AddStart(exam, start, &finding);
  std::set<int> present;
  for (const StartCall& of : start.calls)
    present.insert(exam.process(of.process).rank);
  const std::vector<int> here(present.begin(), present.end());
  const StartCall& first = start.calls.front();
  const std::string at = SiteWords(exam, exam.sites.OfCall(first.process, *first.call));
  const std::string name = StartName(exam, start);
  if (!failed.empty()) {
    const Call& call =
        *std::find_if(start.calls.begin(), start.calls.end(), [&](const StartCall& of) {
           return of.process == failed.front();
         })->call;
    const Process& process = exam.process(failed.front());
    const std::string text =
        call.error >= 0 ? process.texts[static_cast<std::size_t>(call.error)] : "an error";
    finding.set_message(
        absl::StrCat(RankWords(Ranks(finding)), " failed in ", name, " at ", at, ": ", text));
  } else {
    finding.set_message(absl::StrCat(RankWords(Ranks(finding)), " never joined ", name, " at ", at,
                                     ": it waits for ", start.size, " ranks, and ",
                                     start.calls.size(), Verb(here, " is there (", " are there ("),
                                     RankWords(here), ")"));
  }
  finding.add_why(absl::StrCat(RankWords(here), Verb(here, " has", " have"), " been in ", name,
                               " for up to ", Duration(start.waited_ns)));
  for (const int rank : start.absent) {
    const bool visible = std::any_of(exam.processes().begin(), exam.processes().end(),
                                     [&](int p) { return exam.process(p).rank == rank; });
    if (finding.why_size() > 8) break;
    finding.add_why(absl::StrCat(
        "rank ", rank,
        visible ? " runs, but never came to this point" : " is not visible here: it has no trace"));
  }
  const std::string& told = exam.process(first.process).Setting("env.WORLD_SIZE");
  if (!told.empty())
    finding.add_why(absl::StrCat("WORLD_SIZE is ", told, " and ", exam.processes().size(),
                                 " processes are visible"));
  finding.set_advice(
      "Compare WORLD_SIZE with the number of processes that were started; check RANK, MASTER_ADDR "
      "and MASTER_PORT on every machine, "
      "and the output of the ranks that are not there: they may have died before they could join.");
  return finding;
}

}  // namespace

std::vector<Finding> InitIncomplete(const Examination& exam) {
  for (const Start& start : exam.starts) {
    const std::vector<int> failed = FailedIn(exam, start);
    if (!failed.empty()) return {Incomplete(exam, start, failed)};
    if (exam.Definite(start) && !start.absent.empty()) return {Incomplete(exam, start, {})};
  }
  return {};
}

}  // namespace rollcall::analyzer
