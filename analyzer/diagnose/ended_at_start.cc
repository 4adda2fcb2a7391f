#include "analyzer/diagnose/ended_at_start.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

EndedAtStart FindEndedAtStart(const Examination& exam, bool killed) {
  for (const Start& start : exam.starts) {
    if (!start.waiting) continue;
    EndedAtStart ended{&start, {}};
    for (const int p : exam.processes()) {
      const Ending& ending = exam.ending(p);
      if (!ending.own() || (ending.part == Part::kKilled) != killed) continue;
      const auto in_it = std::find_if(start.calls.begin(), start.calls.end(),
                                      [&](const StartCall& of) { return of.process == p; });
      const bool got_out =
          in_it != start.calls.end() && !IsUnfinished(exam.process(p), *in_it->call);
      const bool expected =
          !exam.ending(p).breaks_off &&
          std::count(start.absent.begin(), start.absent.end(), exam.process(p).rank) != 0;
      if ((in_it != start.calls.end() && !got_out) || (in_it == start.calls.end() && expected))
        ended.processes.push_back(p);
    }
    const bool others_wait =
        std::any_of(start.calls.begin(), start.calls.end(), [&](const StartCall& of) {
          return !exam.ending(of.process).own() && IsUnfinished(exam.process(of.process), *of.call);
        });
    if (!ended.processes.empty() && others_wait) return ended;
  }
  return {};
}

std::string StartWaitingWords(const Examination& exam, const EndedAtStart& ended) {
  std::vector<int> ranks;
  int site = kNoSite;
  for (const StartCall& of : ended.start->calls) {
    if (exam.ending(of.process).own() || !IsUnfinished(exam.process(of.process), *of.call))
      continue;
    ranks.push_back(exam.process(of.process).rank);
    if (site == kNoSite) site = exam.sites.OfCall(of.process, *of.call);
  }
  std::sort(ranks.begin(), ranks.end());
  return absl::StrCat(RankWords(ranks), Verb(ranks, " waits", " wait"), " in the ",
                      ended.start->communicator < 0 ? "rendezvous" : "construction of a group",
                      " at ", SiteLine(exam, site));
}

void AddEndedAtStart(const Examination& exam, const EndedAtStart& ended, Finding* finding) {
  for (const int p : ended.processes) {
    const bool in_it = std::any_of(ended.start->calls.begin(), ended.start->calls.end(),
                                   [&](const StartCall& of) { return of.process == p; });
    if (!in_it) AddStuck(exam, p, finding);
  }
  AddStart(exam, *ended.start, finding);
  finding->add_why(absl::StrCat(StartWaitingWords(exam, ended), " for up to ",
                                Duration(ended.start->waited_ns)));
  for (const int p : ended.processes) {
    if (finding->why_size() < 8)
      finding->add_why(absl::StrCat("rank ", exam.process(p).rank, " ended: ", exam.ending(p).how));
  }
}

}  // namespace rollcall::analyzer
