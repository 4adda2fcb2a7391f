// world_size: every process is alone in a world of its own, or processes of one job ask for worlds
// of different size.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// What the process was told by its environment, for those that are all rank 0 of their own worlds;
// else its rank.
int ToldRank(const Process& process) {
  const std::string& told = process.Setting("env.RANK");
  const bool number =
      !told.empty() && told.size() < 8 &&
      std::all_of(told.begin(), told.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::stoi(told) : process.rank;
}

// What the environment told them.
void AddEnvironment(const Examination& exam, Finding* finding) {
  std::map<std::string, std::vector<int>> ranks;
  for (const int p : exam.processes())
    ranks[exam.process(p).Setting("env.WORLD_SIZE")].push_back(ToldRank(exam.process(p)));
  for (auto& [value, of] : ranks) {
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    if (finding->why_size() < 8)
      finding->add_why(
          absl::StrCat("the environment of ", RankWords(of),
                       value.empty() ? " has no WORLD_SIZE" : " has WORLD_SIZE=", value));
  }
}

// Where each asks for its world: in the rendezvous, or in the first group.
void AddStarts(const Examination& exam, Finding* finding) {
  for (const Start& start : exam.starts) {
    const bool of_world = start.communicator < 0 || exam.communicator(start.communicator).is_world;
    if (of_world && finding->calls().empty()) AddStart(exam, start, finding);
  }
}

}  // namespace

std::vector<Finding> WorldSize(const Examination& exam) {
  std::map<int, std::vector<int>> ranks_by_size;
  int processes = 0;
  for (const int p : exam.processes()) {
    if (exam.process(p).world_size <= 0) continue;
    ++processes;
    ranks_by_size[exam.process(p).world_size].push_back(ToldRank(exam.process(p)));
  }
  const bool all_alone =
      processes > 1 && ranks_by_size.size() == 1 && ranks_by_size.begin()->first == 1;
  const bool stuck = std::any_of(exam.starts.begin(), exam.starts.end(),
                                 [&](const Start& start) { return exam.Definite(start); });
  if (!all_alone && (ranks_by_size.size() < 2 || !stuck)) return {};
  Finding finding = NewFinding("world_size", "error");
  if (all_alone) {
    SetRanks(ranks_by_size.begin()->second, &finding);
    AddStarts(exam, &finding);
    finding.set_message(absl::StrCat(processes,
                                     " processes are each alone in a world of size 1: they train ",
                                     processes, " separate models"));
    AddEnvironment(exam, &finding);
    finding.set_advice(
        "Start the processes with torchrun, or set WORLD_SIZE and RANK for each of them.");
    return {finding};
  }
  std::size_t most = 0;
  for (const auto& [size, ranks] : ranks_by_size)
    most = std::max(most, ranks.size());
  const bool tie = std::count_if(ranks_by_size.begin(), ranks_by_size.end(),
                                 [&](const auto& of) { return of.second.size() == most; }) > 1;
  std::vector<int> named;
  std::string sizes;
  for (auto& [size, ranks] : ranks_by_size) {
    std::sort(ranks.begin(), ranks.end());
    absl::StrAppend(&sizes, sizes.empty() ? "" : ", ", RankWords(ranks),
                    Verb(ranks, " asks for ", " ask for "), size);
    if (tie || ranks.size() < most) named.insert(named.end(), ranks.begin(), ranks.end());
  }
  SetRanks(named, &finding);
  AddVictims(exam, &finding);
  AddStarts(exam, &finding);
  finding.set_message(absl::StrCat("the processes disagree about the size of the world: ", sizes));
  if (tie) finding.add_why("there is no majority: the ranks of all sizes are named");
  AddEnvironment(exam, &finding);
  finding.set_advice(
      "Give every process the same WORLD_SIZE: the number of processes on all machines together.");
  return {finding};
}

}  // namespace rollcall::analyzer
