#include "analyzer/diagnose/limits.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
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

}  // namespace

std::vector<std::string> Limits(const Examination& exam) {
  std::vector<std::string> limits;
  const std::vector<int> invisible = InvisibleRanks(exam);
  if (!invisible.empty()) {
    limits.push_back(absl::StrCat(RankWords(invisible), " not visible here: add ",
                                  Verb(invisible, "its trace", "their traces"), " to see what ",
                                  Verb(invisible, "it", "they"), " did"));
  }
  for (const InputFile& input : exam.job.inputs) {
    if (input.state == "complete" || input.message.empty()) continue;
    const int rank = input.process >= 0 ? exam.process(input.process).rank : -1;
    limits.push_back(absl::StrCat(rank >= 0 ? absl::StrCat("rank ", rank, ": ") : "", input.state,
                                  " file: ", input.message));
  }
  for (const int p : exam.processes()) {
    const Process& process = exam.process(p);
    if (!process.recording_note.empty())
      limits.push_back(absl::StrCat("rank ", process.rank, ": ", process.recording_note));
    if (process.lost_rows > 0)
      limits.push_back(
          absl::StrCat("rank ", process.rank, ": ", process.lost_rows, " calls were not recorded"));
  }
  if (exam.job.incarnations.size() > 1) {
    limits.push_back(absl::StrCat("the last of ", exam.job.incarnations.size(),
                                  " starts of the job is judged; ",
                                  exam.job.incarnations.size() - 1, " earlier ones are not"));
  }
  AddWaitsUnderWay(exam, &limits);
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
