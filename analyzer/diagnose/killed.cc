// killed: a process was ended by a signal, or without notice, before calls that the others wait in.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/ended_at_start.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "Look for who killed it: the kernel's out-of-memory killer (dmesg, memory.events of the "
    "cgroup), the scheduler's log, or a "
    "crash in native code (core file). The errors of the other ranks are consequences.";

// Where it was: "inside allreduce at train.py:41", "after its allreduce at train.py:41".
std::string LastSeen(const Examination& exam, int process) {
  const Call* last = LastCall(exam, process);
  if (last == nullptr) return "before its first call";
  const char* where = IsUnfinished(exam.process(process), *last) ? "inside" : "after its";
  return absl::StrCat(where, " ", CallName(exam, process, *last), " at ",
                      SiteWords(exam, exam.sites.OfCall(process, *last)));
}

}  // namespace

std::optional<Finding> Killed(const Examination& exam, const Absence& absence) {
  const std::vector<int> killed = AbsentKilled(exam, absence);
  if (killed.empty()) return std::nullopt;
  Finding finding = NewFinding("killed", "error");
  SetRanks(RanksOf(exam, absence.communicator, killed), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  const int first = members[static_cast<std::size_t>(killed.front())].process;
  const std::string waiting = WaitingWords(exam, absence);
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " ", Verb(Ranks(finding), "was ", "were "), exam.ending(first).how,
      " ", LastSeen(exam, first), waiting.empty() ? "" : absl::StrCat(", while ", waiting)));
  std::vector<RankRemark> remarks;
  for (const int m : killed) {
    const int p = members[static_cast<std::size_t>(m)].process;
    const std::string since = SinceLastCall(exam, p);
    remarks.emplace_back(exam.process(p).rank,
                         absl::StrCat(exam.ending(p).how, " ", LastSeen(exam, p)));
    if (!since.empty()) remarks.emplace_back(exam.process(p).rank, since);
  }
  AddRemarks(remarks, &finding);
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

std::vector<Finding> KilledAtStart(const Examination& exam) {
  const EndedAtStart ended = FindEndedAtStart(exam, true);
  if (ended.processes.empty()) return {};
  Finding finding = NewFinding("killed", "error");
  std::vector<int> ranks;
  for (const int p : ended.processes)
    ranks.push_back(exam.process(p).rank);
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  const int first = ended.processes.front();
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " ", Verb(Ranks(finding), "was ", "were "), exam.ending(first).how,
      " ", LastSeen(exam, first), ", while ", StartWaitingWords(exam, ended)));
  AddEndedAtStart(exam, ended, &finding);
  finding.set_advice(kAdvice);
  return {finding};
}

std::optional<Finding> KilledQuietly(const Examination& exam) {
  std::vector<int> single, together, ranks;
  for (const int p : exam.processes()) {
    if (exam.ending(p).part == Part::kKilled) single.push_back(p);
    if (exam.ending(p).with_job) together.push_back(p);
  }
  // Everybody was in step when the job was ended: they were all killed, and nobody else is to
  // blame.
  const bool whole_job =
      single.empty() && !together.empty() && together.size() == exam.processes().size();
  const std::vector<int>& killed = whole_job ? together : single;
  if (killed.empty()) return std::nullopt;
  for (const int p : killed)
    ranks.push_back(exam.process(p).rank);
  Finding finding = NewFinding("killed", whole_job ? "error" : "warning");
  SetRanks(ranks, &finding);
  const std::string how = whole_job ? exam.process(killed.front()).end.kind == EndKind::kKilled
                                          ? "killed together, without notice"
                                          : absl::StrCat("ended together by signal ",
                                                         exam.process(killed.front()).end.signal)
                                    : exam.ending(killed.front()).how;
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " ", Verb(Ranks(finding), "was ", "were "), how, " ",
                   LastSeen(exam, killed.front()),
                   whole_job ? "; all ranks were in step" : "; no rank waited for it"));
  finding.set_advice(whole_job ? "Somebody ended the job as a whole: a scheduler, a launcher or a "
                                 "user. No rank broke step."
                               : kAdvice);
  return finding;
}

}  // namespace rollcall::analyzer
