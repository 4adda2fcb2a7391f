// deadlock_cycle: the members that are absent wait in another call, for somebody who waits here: a
// circle.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "Make these calls in one order on all ranks; pair sends with receives, or group them.";

// Who waits where, around the circle; also as evidence.
std::string Chain(const Examination& exam, const std::vector<int>& cycle, Finding* finding) {
  std::string chain;
  for (const int p : cycle) {
    const Call* call = StuckIn(exam.process(p));
    if (call == nullptr) continue;
    const std::string edge =
        absl::StrCat("rank ", exam.process(p).rank, " waits in ", CallName(exam, p, *call), " at ",
                     SiteLine(exam, exam.sites.OfCall(p, *call)));
    finding->add_why(edge);
    if (chain.size() < 200) absl::StrAppend(&chain, chain.empty() ? "" : ", ", edge);
  }
  return absl::StrCat("ranks wait for each other in a circle: ", chain);
}

}  // namespace

std::optional<Finding> DeadlockCycle(const Examination& exam, const Absence& absence) {
  const std::vector<int> waiting = AbsentWaiting(exam, absence);
  if (waiting.empty() || !AbsentKilled(exam, absence).empty() ||
      !AbsentLeft(exam, absence).empty() || !AbsentAlive(exam, absence).empty()) {
    return std::nullopt;
  }
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  const auto process_of = [&](int m) { return members[static_cast<std::size_t>(m)].process; };
  const auto cycle = std::find_if(
      exam.waits.cycles.begin(), exam.waits.cycles.end(), [&](const std::vector<int>& of) {
        return std::any_of(waiting.begin(), waiting.end(), [&](int m) {
          return std::binary_search(of.begin(), of.end(), process_of(m));
        });
      });
  if (cycle == exam.waits.cycles.end()) return std::nullopt;
  std::vector<int> ranks;
  // In the largest communicator involved, those who went elsewhere first, if they are a strict
  // minority.
  const bool minority = 2 * waiting.size() < members.size();
  if (minority && members.size() > 2) {
    ranks = RanksOf(exam, absence.communicator, waiting);
  } else {
    for (const int p : *cycle)
      ranks.push_back(exam.process(p).rank);
  }
  Finding finding = NewFinding("deadlock_cycle", "error");
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  finding.set_message(Chain(exam, *cycle, &finding));
  finding.set_advice(kAdvice);
  return finding;
}

std::optional<Finding> CycleOfPartners(const Examination& exam) {
  if (exam.waits.cycles.empty()) return std::nullopt;
  const std::vector<int>& cycle = exam.waits.cycles.front();
  std::vector<int> ranks;
  for (const int p : cycle) {
    if (!exam.StuckForGood(p)) return std::nullopt;
    ranks.push_back(exam.process(p).rank);
  }
  Finding finding = NewFinding("deadlock_cycle", "error");
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  for (const int p : cycle)
    AddStuck(exam, p, &finding);
  finding.set_message(Chain(exam, cycle, &finding));
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace rollcall::analyzer
