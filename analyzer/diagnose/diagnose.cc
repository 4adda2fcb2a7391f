// The order of judgement: what makes positions meaningless, then the divergence that the others
// wait for, then what is silently wrong.
#include "analyzer/diagnose/diagnose.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/limits.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/suspects.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// What is wrong on one communicator: calls that differ, or somebody who is not there.
struct Trouble {
  int communicator = 0;
  const Divergence* divergence = nullptr;
  const Absence* absence = nullptr;
  int depth = 0;                 // 0 = a cause; the more, the more it follows from others
  std::optional<Finding> found;  // they parted right before the absence

  std::int64_t position() const {
    return divergence != nullptr ? divergence->position : absence->position;
  }
};

// Those who only wait elsewhere are no cause; a circle is one if there is nothing better.
int DepthOf(const Examination& exam, const Absence& absence) {
  if (!AbsentKilled(exam, absence).empty() || !AbsentLeft(exam, absence).empty() ||
      !AbsentAborted(exam, absence).empty() || !AbsentAlive(exam, absence).empty())
    return 0;
  if (DeadlockCycle(exam, absence).has_value()) return 1;
  const bool reacted = !AbsentReacted(exam, absence).empty();
  if (absence.absent.empty() || reacted) return absence.unseen.empty() && !reacted ? 3 : 2;
  return 4;
}

// In the program order of processes that are part of both: positive when a comes before b more
// often than behind.
int Precedence(const Examination& exam, const Trouble& a, const Trouble& b) {
  int sign = 0;
  for (const Participant& in_a : exam.communicator(a.communicator).members) {
    for (const Participant& in_b : exam.communicator(b.communicator).members) {
      if (in_a.process < 0 || in_a.process != in_b.process) continue;
      const Call* call_a = CallAt(exam.job, in_a, a.position());
      const Call* call_b = CallAt(exam.job, in_b, b.position());
      if (call_a != nullptr && call_b != nullptr) sign += call_a->row < call_b->row ? 1 : -1;
    }
  }
  return sign;
}

void Sort(const Examination& exam, std::vector<Trouble>* troubles) {
  // "Before" is no order that sort could use: pick what nothing else precedes, one after the other.
  std::vector<Trouble> sorted;
  while (!troubles->empty()) {
    auto first = troubles->begin();
    for (auto other = first + 1; other != troubles->end(); ++other) {
      if (other->depth != first->depth ? other->depth < first->depth
                                       : Precedence(exam, *other, *first) > 0)
        first = other;
    }
    sorted.push_back(*first);
    troubles->erase(first);
  }
  *troubles = std::move(sorted);
}

// The side that goes on as in an earlier round.
bool GoesOnAsBefore(const Examination& exam, const Sides& sides) {
  const std::int64_t position = sides.divergence.position;
  const int before = ClassAt(exam, sides, sides.others, position - 1);
  for (std::int64_t at = position - 2; before != kNoClass && at >= 0; --at) {
    const int of = ClassAt(exam, sides, sides.others, at);
    if (of == kNoClass) break;
    if (of == before) return ClassAt(exam, sides, sides.others, at + 1) == sides.others.call_class;
  }
  return false;
}

// Each group against the largest; in a tie the largest against the next one too. Then the better
// reading comes first: compared with the side that goes on as in earlier rounds, or fewer edits.
std::vector<Sides> WaysToSee(const Examination& exam, const Divergence& divergence,
                             bool both_ways) {
  std::vector<Sides> ways;
  const Group& largest = divergence.groups.front();
  for (std::size_t i = 1; i < divergence.groups.size(); ++i)
    ways.push_back({divergence, divergence.groups[i], largest, divergence.scripts[i]});
  if (!divergence.tie() && !both_ways) return ways;
  ways.push_back({divergence, largest, divergence.groups[1],
                  CompareGroups(exam.job, divergence, divergence.groups[1], largest, exam.classes,
                                exam.sites)});
  if (!divergence.tie()) return ways;
  const auto rank = [&](const Sides& sides) {
    return std::pair(!GoesOnAsBefore(exam, sides), sides.script.cost);
  };
  // Places of a vector of references cannot be exchanged: order indices.
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(ways[a]) < rank(ways[b]); });
  std::vector<Sides> sorted;
  for (const std::size_t index : order) {
    // Of two readings the one with fewer edits, where it can be seen how the sequences go on.
    const bool worse = ways[index].script.resynchronised() &&
                       ways[index].script.cost > ways[order.front()].script.cost;
    if (!worse) sorted.push_back(ways[index]);
  }
  return sorted;
}

std::optional<Finding> Judge(const Examination& exam, const Divergence& divergence) {
  for (const Kind& kind : Kinds()) {
    if (kind.sides != nullptr && divergence.splits.empty() && !divergence.only_capture) {
      for (const Sides& sides : WaysToSee(exam, divergence, kind.both_ways)) {
        if (std::optional<Finding> finding = kind.sides(exam, sides)) return finding;
      }
    }
    if (kind.divergence != nullptr) {
      if (std::optional<Finding> finding = kind.divergence(exam, divergence)) return finding;
    }
  }
  return std::nullopt;
}

// They parted in equal calls right before the one in which somebody is absent: told where the calls
// show that they did not belong together.
std::optional<Finding> JudgePassed(const Examination& exam, Divergence divergence,
                                   const Absence& absence) {
  divergence.stuck_position = absence.position;
  for (const Kind& kind : Kinds()) {
    if (kind.sides == nullptr) continue;
    for (const Sides& sides : WaysToSee(exam, divergence, kind.both_ways)) {
      if (std::optional<Finding> finding = kind.sides(exam, sides)) return finding;
    }
  }
  return std::nullopt;
}

std::vector<Trouble> FindTroubles(const Examination& exam) {
  std::vector<Trouble> troubles;
  for (std::size_t i = 0; i < exam.communicators.size(); ++i) {
    const Alignment& alignment = exam.alignments[i];
    const std::optional<Absence>& absence = exam.absences[i];
    const bool absent = absence.has_value() && exam.Definite(*absence);
    const bool differ = !alignment.first.empty();
    // Behind differing calls everything else follows from them.
    const bool before = absent && differ && !absence->absent.empty() &&
                        (absence->position < alignment.first.front().position ||
                         (absence->position == alignment.first.front().position &&
                          !AbsentAborted(exam, *absence).empty()));
    if (differ && !before) {
      troubles.push_back({exam.communicators[i], &alignment.first.front(), nullptr, 0, {}});
    } else if (absent) {
      std::optional<Finding> parted;
      if (!alignment.passed.empty() && absence->position == alignment.behind_passed)
        parted = JudgePassed(exam, alignment.passed.front(), *absence);
      const int depth = parted.has_value() ? 0 : DepthOf(exam, *absence);
      troubles.push_back({exam.communicators[i], nullptr, &*absence, depth, std::move(parted)});
    }
  }
  return troubles;
}

std::vector<Finding> Judge(const Examination& exam, const Absence& absence) {
  std::vector<Finding> findings;
  for (const Kind& kind : Kinds()) {
    if (kind.absence == nullptr) continue;
    std::optional<Finding> finding = kind.absence(exam, absence);
    if (!finding.has_value()) continue;
    findings.push_back(std::move(*finding));
    if (kind.only) break;
  }
  return findings;
}

// One cause shows on several communicators: it is told once.
bool IsToldAlready(const std::vector<Finding>& findings, const Finding& finding) {
  const std::vector<int> ranks = Ranks(finding);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& told) {
    const std::vector<int> of = Ranks(told);
    return !ranks.empty() && std::includes(of.begin(), of.end(), ranks.begin(), ranks.end());
  });
}

// Those who are absent are named for what they lack elsewhere, all that they could be named for
// here.
bool AllAbsentAreTold(const Examination& exam, const std::vector<Finding>& findings,
                      const Trouble& trouble) {
  if (trouble.absence == nullptr || trouble.absence->absent.empty() || trouble.found.has_value())
    return false;
  Finding absent;
  SetRanks(RanksOf(exam, trouble.communicator, trouble.absence->absent), &absent);
  return IsToldAlready(findings, absent);
}

void AddTroubles(const Examination& exam, std::vector<Finding>* findings) {
  std::vector<Trouble> troubles = FindTroubles(exam);
  Sort(exam, &troubles);
  for (const Trouble& trouble : troubles) {
    if (!findings->empty() && (trouble.depth > 0 || AllAbsentAreTold(exam, *findings, trouble))) {
      findings->front().add_why(absl::StrCat(
          "ranks that wait ", CommunicatorWords(exam, trouble.communicator), " at position ",
          trouble.position(), " wait for this, directly or through others"));
      continue;
    }
    std::vector<Finding> found;
    if (trouble.found.has_value()) {
      found.push_back(*trouble.found);
    } else if (trouble.divergence != nullptr) {
      if (std::optional<Finding> finding = Judge(exam, *trouble.divergence))
        found.push_back(std::move(*finding));
    } else {
      found = Judge(exam, *trouble.absence);
    }
    const std::vector<Finding> before = *findings;
    for (Finding& finding : found) {
      if (IsToldAlready(before, finding)) continue;
      // Most of a cause shows where most of those are members whom it concerns.
      const bool wider = !findings->empty() && finding.kind() == findings->front().kind() &&
                         IsToldAlready({finding}, findings->front());
      if (wider) {
        findings->front() = std::move(finding);
      } else {
        findings->push_back(std::move(finding));
      }
    }
  }
}

// It is told as what hangs.
bool IsTold(const std::vector<Finding>& findings, const Examination& exam,
            const Divergence& divergence) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.communicator() == exam.communicator(divergence.communicator).name &&
           finding.position() == divergence.position;
  });
}

void AddSilent(const Examination& exam, std::vector<Finding>* findings) {
  for (const Alignment& alignment : exam.alignments) {
    for (const Divergence& divergence : alignment.silent) {
      if (IsTold(*findings, exam, divergence)) continue;
      for (const Kind& kind : Kinds()) {
        if (kind.divergence == nullptr) continue;
        std::optional<Finding> finding = kind.divergence(exam, divergence);
        if (!finding.has_value()) continue;
        findings->push_back(std::move(*finding));
        break;
      }
    }
  }
}

// What may explain the first finding, and stands behind it.
void AddBeside(const Examination& exam, std::vector<Finding>* findings) {
  for (const Kind& kind : Kinds()) {
    if (kind.beside == nullptr) continue;
    if (std::optional<Finding> finding = kind.beside(exam)) {
      if (!findings->empty()) findings->front().add_why(finding->message());
      findings->push_back(std::move(*finding));
    }
  }
}

// Errors, certain warnings, what may be harmless or only makes it likely, notes.
int OrderOf(const Finding& finding) {
  if (finding.severity() == "error") return 0;
  if (finding.severity() != "warning") return 3;
  return finding.kind() == "late_rank" || finding.kind() == "env_mismatch" ? 2 : 1;
}

std::vector<Finding> FindAll(const Examination& exam) {
  std::vector<Finding> findings;
  for (const Kind& kind : Kinds()) {
    if (kind.start == nullptr) continue;
    findings = kind.start(exam);
    if (findings.empty()) continue;
    AddBeside(exam, &findings);
    return findings;
  }
  AddTroubles(exam, &findings);
  for (const Kind& kind : Kinds()) {
    if (!findings.empty() || kind.leftover == nullptr) continue;
    if (std::optional<Finding> finding = kind.leftover(exam))
      findings.push_back(std::move(*finding));
  }
  const bool hangs = !findings.empty();
  AddSilent(exam, &findings);
  AddBeside(exam, &findings);
  for (const Kind& kind : Kinds()) {
    if (hangs || kind.quiet == nullptr) continue;
    if (std::optional<Finding> finding = kind.quiet(exam)) findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return OrderOf(a) < OrderOf(b); });
  return findings;
}

std::string NoProblem(const Examination& exam) {
  std::int64_t calls = 0;
  std::set<int> ranks;
  for (const int p : exam.processes())
    ranks.insert(exam.process(p).rank);
  for (const int index : exam.communicators) {
    std::int64_t most = 0;
    for (const Participant& member : exam.communicator(index).members) {
      most = std::max(most, EndPosition(exam.job, member));
    }
    calls += most;
  }
  const std::vector<InputFile>& inputs = exam.job.inputs;
  const auto damaged = std::count_if(inputs.begin(), inputs.end(), [](const InputFile& input) {
    return input.state != "complete";
  });
  const std::string seen =
      absl::StrCat(ranks.size(), ranks.size() == 1 ? " rank, " : " ranks, ", calls,
                   calls == 1 ? " collective call, all in step" : " collective calls, all in step");
  if (damaged == 0) return absl::StrCat("no problem found: ", seen);
  return absl::StrCat("no problem found in what can be read: ", seen, ", but ", damaged, " of ",
                      inputs.size(), damaged == 1 ? " files is" : " files are",
                      " incomplete: the end may be missing");
}

std::string Verdict(const Examination& exam, const std::vector<Finding>& findings) {
  if (findings.empty()) return NoProblem(exam);
  return findings.front().message();
}

// Whoever looks at the traces may know better than who recorded them.
std::string UserCode(const Job& job) {
  if (const char* glob = std::getenv("ROLLCALL_USER_CODE")) return glob;
  for (const Process& process : job.processes) {
    const std::string& glob = process.Setting("env.ROLLCALL_USER_CODE");
    if (!glob.empty()) return glob;
  }
  return "";
}

}  // namespace

Report Diagnose(const Job& job) {
  Report report;
  report.set_format(1);
  for (const InputFile& file : job.inputs) {
    Input* input = report.add_inputs();
    input->set_file(file.path);
    input->set_rank(file.process >= 0 ? job.processes[static_cast<std::size_t>(file.process)].rank
                                      : -1);
    input->set_state(file.state);
  }
  std::sort(report.mutable_inputs()->begin(), report.mutable_inputs()->end(),
            [](const Input& a, const Input& b) {
              return a.rank() != b.rank() ? a.rank() < b.rank() : a.file() < b.file();
            });
  const std::string unfit = WhyNotAnalyzable(job);
  if (!unfit.empty()) {
    report.set_could_not_analyze(true);
    report.set_verdict(absl::StrCat("could not analyze: ", unfit));
    for (const std::string& note : job.notes)
      report.add_limits(note);
    return report;
  }
  const Examination exam(job, UserCode(job));
  const std::vector<Finding> findings = FindAll(exam);
  report.set_verdict(Verdict(exam, findings));
  for (const Finding& finding : findings)
    *report.add_findings() = finding;
  for (const Suspect& suspect : Suspects(exam, findings))
    *report.add_suspects() = suspect;
  for (const std::string& limit : Limits(exam, findings))
    report.add_limits(limit);
  return report;
}

int ExitStatus(const Report& report, FailOn fail_on) {
  if (report.could_not_analyze()) return 2;
  const bool fails =
      std::any_of(report.findings().begin(), report.findings().end(), [&](const Finding& finding) {
        return finding.severity() == "error" ||
               (fail_on == FailOn::kWarning && finding.severity() == "warning");
      });
  return fails ? 1 : 0;
}

}  // namespace rollcall::analyzer
