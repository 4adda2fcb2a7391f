#include "tests/generate/expectation.h"

#include <algorithm>

namespace rollcall::tests::generate {
namespace {

Ranks RanksOf(const Finding& finding) {
  return {finding.ranks().begin(), finding.ranks().end()};
}

std::string LineOf(const Finding& finding, int rank) {
  for (const SiteSide& site : finding.sites()) {
    if (site.rank() == rank) return site.file() + ":" + std::to_string(site.line());
  }
  return "no line";
}

bool SaysTie(const Finding& finding) {
  const auto says = [](const std::string& text) {
    return text.find("equal size") != std::string::npos || text.find("tie") != std::string::npos;
  };
  return says(finding.message()) || std::any_of(finding.why().begin(), finding.why().end(), says);
}

Score CompareCorrect(const Report& report) {
  Score score{true, true, true, ""};
  if (report.could_not_analyze()) return {false, false, false, "not analyzed: " + report.verdict()};
  for (const Finding& finding : report.findings()) {
    if (finding.severity() != "note")
      return {false, false, false, "accused of " + finding.kind() + ": " + finding.message()};
  }
  return score;
}

Score CompareWith(const Answer& answer, const Report& report) {
  Score score;
  const Finding& first = report.findings(0);
  score.kind = first.kind() == answer.kind && first.argument() == answer.argument;
  if (!score.kind) {
    score.what = "kind " + first.kind() + " " + first.argument();
    return score;
  }
  score.ranks = RanksOf(first) == answer.ranks && (!answer.tie || SaysTie(first));
  if (!score.ranks) score.what = "ranks " + TextOf(RanksOf(first));
  if (RanksOf(first) == answer.ranks && !score.ranks) score.what = "does not say that it is a tie";
  for (const Finding& further : report.findings()) {
    const Ranks others = Without(RanksOf(further), answer.ranks);
    if (further.severity() == "note" || others.empty() || !score.ranks) continue;
    score.ranks = false;
    score.what = "accuses " + TextOf(others) + " as well, of " + further.kind();
  }
  score.line = true;
  for (const auto& [rank, line] : answer.lines) {
    if (LineOf(first, rank) == line) continue;
    if (score.line)
      score.what += (score.what.empty() ? "" : "; ") + std::string("rank ") + std::to_string(rank) +
                    " at " + LineOf(first, rank);
    score.line = false;
  }
  return score;
}

int Weight(const Score& score) {
  return (score.kind ? 4 : 0) + (score.ranks ? 2 : 0) + (score.line ? 1 : 0);
}

}  // namespace

Score Compare(const Expectation& expectation, const Report& report) {
  if (expectation.answers.empty()) return CompareCorrect(report);
  if (report.could_not_analyze()) return {false, false, false, "not analyzed: " + report.verdict()};
  if (report.findings().empty()) return {false, false, false, "no finding"};
  Score best;
  for (const Answer& answer : expectation.answers) {
    const Score score = CompareWith(answer, report);
    if (best.what.empty() || Weight(score) > Weight(best)) best = score;
    if (best.Full()) break;
  }
  return best;
}

std::string TextOf(const Expectation& expectation) {
  if (expectation.answers.empty()) return "nobody is accused";
  std::string text;
  for (const Answer& answer : expectation.answers) {
    text += (text.empty() ? "" : ", or ") + answer.kind;
    if (!answer.argument.empty()) text += " of " + answer.argument;
    text += " by " + (answer.ranks.empty() ? "nobody" : TextOf(answer.ranks));
    if (answer.tie) text += " in a tie";
    for (const auto& [rank, line] : answer.lines)
      text += ", " + std::to_string(rank) + " at " + line;
  }
  if (!expectation.why_several.empty()) text += " (" + expectation.why_several + ")";
  return text;
}

}  // namespace rollcall::tests::generate
