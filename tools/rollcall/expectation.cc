#include "tools/rollcall/expectation.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/scenario/closest_word.h"

namespace rollcall::tools {
namespace {

struct Answer {
  const Report& report;
  const Finding& first;  // an empty one when there is none
  int exit_status;
};

std::string Numbers(const google::protobuf::RepeatedField<std::int32_t>& numbers) {
  return numbers.empty() ? "none" : absl::StrJoin(numbers, ",");
}

std::string FileName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The words are equal, one of several with | between them.
std::string Compare(const std::string& wanted, const std::string& got) {
  const std::vector<std::string> ways = absl::StrSplit(wanted, '|');
  return std::find(ways.begin(), ways.end(), got) != ways.end()
             ? ""
             : absl::StrCat("expected ", wanted, ", got ", got.empty() ? "nothing" : got);
}

std::string CheckSite(const std::string& rest, const Answer& answer) {
  const std::vector<std::string> words = absl::StrSplit(rest, ' ', absl::SkipEmpty());
  int rank = 0;
  if (words.size() < 2 || !absl::SimpleAtoi(words[0], &rank)) return "expected RANK FILE:LINE";
  for (const SiteSide& site : answer.first.sites()) {
    if (site.rank() != rank) continue;
    std::string got = absl::StrCat(rank, " ", FileName(site.file()), ":", site.line());
    if (words.size() > 2) absl::StrAppend(&got, " ", site.function());
    return Compare(absl::StrJoin(words, " "), got);
  }
  return absl::StrCat("expected ", rest, ", got no site of this rank");
}

std::string CheckText(const std::string& rest, const Answer& answer) {
  const std::string all =
      absl::StrCat(answer.first.message(), " ", absl::StrJoin(answer.first.why(), " "));
  return all.find(rest) != std::string::npos
             ? ""
             : absl::StrCat("expected '", rest, "' in message and why, got: ", all);
}

std::string CheckLimit(const std::string& rest, const Answer& answer) {
  const std::string all = absl::StrJoin(answer.report.limits(), " ");
  return all.find(rest) != std::string::npos
             ? ""
             : absl::StrCat("expected '", rest, "' in limits, got: ", all);
}

// Nobody of these in any finding that is more than a note.
std::string CheckNotAccused(const std::string& rest, const Answer& answer) {
  for (const absl::string_view word : absl::StrSplit(rest, ',')) {
    for (const Finding& finding : answer.report.findings()) {
      int rank = -1;
      const bool any = word == "*";
      if (!any && !absl::SimpleAtoi(word, &rank)) return "expected ranks";
      const bool accused = any ? finding.ranks_size() != 0
                               : std::count(finding.ranks().begin(), finding.ranks().end(), rank);
      if (accused && finding.severity() != "note")
        return absl::StrCat("expected nobody of ", rest, ", got ", finding.kind(), " of ",
                            Numbers(finding.ranks()));
    }
  }
  return "";
}

struct Word {
  const char* word;
  std::function<std::string(const std::string& rest, const Answer& answer)>
      check;  // "" = as expected
};

const std::vector<Word>& Words() {
  static const std::vector<Word> table = {
      {"kind",
       [](const std::string& rest, const Answer& of) {
         return Compare(rest, of.report.findings().empty() ? "none" : of.first.kind());
       }},
      {"severity", [](const std::string& rest,
                      const Answer& of) { return Compare(rest, of.first.severity()); }},
      {"ranks", [](const std::string& rest,
                   const Answer& of) { return Compare(rest, Numbers(of.first.ranks())); }},
      {"victims", [](const std::string& rest,
                     const Answer& of) { return Compare(rest, Numbers(of.first.victims())); }},
      {"argument", [](const std::string& rest,
                      const Answer& of) { return Compare(rest, of.first.argument()); }},
      {"communicator", [](const std::string& rest,
                          const Answer& of) { return Compare(rest, of.first.communicator()); }},
      {"position",
       [](const std::string& rest, const Answer& of) {
         return Compare(rest, std::to_string(of.first.position()));
       }},
      {"returned_early",
       [](const std::string& rest, const Answer& of) {
         return Compare(rest, of.first.returned_early() ? "true" : "false");
       }},
      {"findings",
       [](const std::string& rest, const Answer& of) {
         return Compare(rest, std::to_string(of.report.findings_size()));
       }},
      {"exit", [](const std::string& rest,
                  const Answer& of) { return Compare(rest, std::to_string(of.exit_status)); }},
      {"site", CheckSite},
      {"text", CheckText},
      {"limit", CheckLimit},
      {"not_accused", CheckNotAccused},
  };
  return table;
}

const Word* FindWord(const std::string& word) {
  for (const Word& known : Words()) {
    if (word == known.word) return &known;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<Expectation> ParseExpectation(const std::string& text, const std::string& name) {
  Expectation expectation;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string bare(absl::StripAsciiWhitespace(line.substr(0, line.find('#'))));
    if (bare.empty()) continue;
    const std::size_t space = bare.find(' ');
    Expectation::Statement statement;
    statement.word = bare.substr(0, space);
    if (space != std::string::npos)
      statement.rest = std::string(absl::StripAsciiWhitespace(bare.substr(space)));
    if (FindWord(statement.word) == nullptr || statement.rest.empty()) {
      std::vector<std::string> known;
      for (const Word& word : Words())
        known.emplace_back(word.word);
      const std::string meant = analyzer::ClosestWord(statement.word, known);
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ":1: expected one of ", absl::StrJoin(known, ", "),
                       " and what it is, found '", bare, "'",
                       meant.empty() || meant == statement.word
                           ? ""
                           : absl::StrCat("; did you mean '", meant, "'?")));
    }
    expectation.statements.push_back(std::move(statement));
  }
  if (expectation.statements.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": expected at least one statement"));
  return expectation;
}

std::vector<std::string> Differences(const Expectation& expectation, const Report& report,
                                     int exit_status) {
  static const Finding none;
  const Answer answer{report, report.findings().empty() ? none : report.findings(0), exit_status};
  std::vector<std::string> differences;
  for (const Expectation::Statement& statement : expectation.statements) {
    const std::string difference = FindWord(statement.word)->check(statement.rest, answer);
    if (!difference.empty()) differences.push_back(absl::StrCat(statement.word, ": ", difference));
  }
  return differences;
}

}  // namespace rollcall::tools
