#include "analyzer/diagnose/limits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// Ranks of the job that no trace speaks for.
std::vector<int> InvisibleRanks(const Examination& exam) {
  std::set<int> visible, expected;
  int world = 0;
  for (const int p : exam.processes()) {
    visible.insert(exam.process(p).rank);
    world = std::max(world, exam.process(p).world_size);
  }
  // A process may hold several ranks.
  for (const int index : exam.communicators) {
    for (const Participant& member : exam.communicator(index).members) {
      if (member.handle >= 0) visible.insert(member.global_rank);
    }
  }
  for (int rank = 0; rank < world && rank < (1 << 20); ++rank) {
    if (visible.count(rank) == 0) expected.insert(rank);
  }
  return {expected.begin(), expected.end()};
}

void AddWaitsUnderWay(const Examination& exam, std::vector<std::string>* limits) {
  for (const std::optional<Absence>& absence : exam.absences) {
    if (!absence.has_value() || exam.Definite(*absence) || !absence->waiting) continue;
    limits->push_back(absl::StrCat(WaitingWords(exam, *absence), " for ",
                                   Duration(absence->waited_ns),
                                   " so far, too short to call it a hang: analyze "
                                   "again later"));
  }
}

// The ranks of both sides are named, because they are equally many.
bool NamesBothSides(const Examination& exam, const Finding& finding) {
  return std::any_of(exam.alignments.begin(), exam.alignments.end(),
                     [&](const Alignment& alignment) {
                       const std::vector<Divergence>& found =
                           alignment.first.empty() ? alignment.silent : alignment.first;
                       return std::any_of(found.begin(), found.end(), [&](const Divergence& of) {
                         return of.tie() && of.position == finding.position() &&
                                exam.communicator(of.communicator).name == finding.communicator() &&
                                static_cast<std::size_t>(finding.ranks_size()) >=
                                    of.groups[0].members.size() + of.groups[1].members.size();
                       });
                     });
}

// What the calls do not show of the first finding, and what would.
void AddUndecided(const Examination& exam, const Finding& finding,
                  std::vector<std::string>* limits) {
  if (finding.kind() == "all_entered" || finding.kind() == "device_stall")
    limits->push_back(
        "why nothing completes is not in the traces of calls: native stacks of the processes "
        "(`py-spy dump --native --pid PID`), NCCL_DEBUG=INFO, and dmesg would tell");
  if (NamesBothSides(exam, finding))
    limits->push_back(
        "which of the two sides is wrong is not known: the traces of a run that worked, or of a "
        "job with more ranks, would tell");
}

// What is wrong with files: which, of which rank, at which byte, what to do. Ranks whose files have
// the same to say share a sentence, with a few of their names.
void AddFiles(const Examination& exam, std::vector<std::string>* limits) {
  struct Files {
    std::vector<int> ranks;
    std::set<std::string> names;
  };
  std::map<std::string, Files> by_sentence;
  for (const InputFile& input : exam.job.inputs) {
    if (input.state == "complete" || input.message.empty()) continue;
    Files& files = by_sentence[absl::StrCat(input.state, " file: ", input.message)];
    if (input.process >= 0 && exam.process(input.process).rank >= 0 &&
        exam.process(input.process).incarnation == exam.incarnation)
      files.ranks.push_back(exam.process(input.process).rank);
    files.names.insert(input.path.substr(input.path.rfind('/') + 1));
  }
  for (auto& [sentence, files] : by_sentence) {
    std::sort(files.ranks.begin(), files.ranks.end());
    constexpr std::ptrdiff_t kMost = 3;
    const auto most = static_cast<std::ptrdiff_t>(files.names.size());
    const auto end = std::next(files.names.begin(), std::min(most, kMost));
    limits->push_back(
        absl::StrCat(files.ranks.empty() ? "" : absl::StrCat(RankWords(files.ranks), ": "),
                     sentence, " (", absl::StrJoin(files.names.begin(), end, ", "),
                     most > kMost ? absl::StrCat(" and ", most - kMost, " more") : "", ")"));
  }
}

}  // namespace

std::vector<std::string> Limits(const Examination& exam, const std::vector<Finding>& findings) {
  std::vector<std::string> limits;
  const std::vector<int> invisible = InvisibleRanks(exam);
  if (!invisible.empty()) {
    limits.push_back(absl::StrCat(RankWords(invisible), " not visible here: add ",
                                  Verb(invisible, "its trace", "their traces"), " to see what ",
                                  Verb(invisible, "it", "they"), " did"));
  }
  AddFiles(exam, &limits);
  AddWaitsUnderWay(exam, &limits);
  if (!findings.empty()) AddUndecided(exam, findings.front(), &limits);
  limits.insert(limits.end(), exam.job.notes.begin(), exam.job.notes.end());
  return limits;
}

std::string WhyNotAnalyzable(const Job& job) {
  if (job.processes.empty() || job.incarnations.empty()) return "no readable trace";
  const bool any_call = std::any_of(
      job.processes.begin(), job.processes.end(),
      [](const Process& process) { return !process.calls.empty() || process.first_row > 0; });
  if (any_call) return "";
  return "no call and no rendezvous was recorded";
}

}  // namespace rollcall::analyzer
