// duplicate_rank: two processes that lived at the same time claim one rank.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

bool Overlap(const Job& job, const Process& a, const Process& b) {
  const auto until = [&](const Process& process) {
    return process.end.kind == EndKind::kAlive ? job.now_ns
                                               : std::max(process.end.ns, process.last_sign_ns);
  };
  return a.started_ns <= until(b) && b.started_ns <= until(a);
}

// Ranks of the world that no process claims, although as many processes are there.
void AddUnclaimed(const Examination& exam, Finding* finding) {
  std::set<int> claimed;
  int size = 0;
  for (const int p : exam.processes()) {
    claimed.insert(exam.process(p).rank);
    size = std::max(size, exam.process(p).world_size);
  }
  std::vector<int> unclaimed;
  if (size != static_cast<int>(exam.processes().size())) return;
  for (int rank = 0; rank < size; ++rank) {
    if (claimed.count(rank) == 0) unclaimed.push_back(rank);
  }
  if (unclaimed.empty()) return;
  finding->add_why(absl::StrCat("the job has as many processes as ranks, ", size,
                                ", and nobody is ", RankWords(unclaimed)));
}

}  // namespace

std::vector<Finding> DuplicateRank(const Examination& exam) {
  std::map<int, std::vector<int>> by_rank;
  for (const int p : exam.processes()) {
    // Processes that are alone in their worlds all have rank 0: that is world_size.
    if (exam.process(p).rank >= 0 && exam.process(p).world_size != 1)
      by_rank[exam.process(p).rank].push_back(p);
  }
  std::vector<int> ranks, claimants;
  std::vector<std::string> why;
  for (const auto& [rank, processes] : by_rank) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < processes.size(); ++i) {
      if (!Overlap(exam.job, exam.process(processes[i - 1]), exam.process(processes[i]))) continue;
      if (names.empty())
        names.push_back(absl::StrCat(exam.process(processes[i - 1]).pid, " on ",
                                     exam.process(processes[i - 1]).host));
      names.push_back(
          absl::StrCat(exam.process(processes[i]).pid, " on ", exam.process(processes[i]).host));
    }
    if (names.empty()) continue;
    ranks.push_back(rank);
    claimants.insert(claimants.end(), processes.begin(), processes.end());
    why.push_back(absl::StrCat("rank ", rank, " is claimed by ", names.size(),
                               " processes: ", absl::StrJoin(names, " and ")));
  }
  if (ranks.empty()) return {};
  Finding finding = NewFinding("duplicate_rank", "error");
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  for (const int p : claimants)
    AddStuck(exam, p, &finding);
  finding.set_message(why.size() == 1 ? why.front()
                                      : absl::StrCat(RankWords(ranks),
                                                     " are each claimed by more than one process: ",
                                                     absl::StrJoin(why, "; ")));
  if (why.size() > 1) {
    for (const std::string& sentence : why)
      finding.add_why(sentence);
  }
  AddUnclaimed(exam, &finding);
  finding.set_advice(
      "Give every process its own RANK: check the rank offset of each machine (node rank times "
      "processes per node), and that LOCAL_RANK "
      "is not taken for RANK.");
  return {finding};
}

}  // namespace rollcall::analyzer
