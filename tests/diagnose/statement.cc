#include "tests/diagnose/statement.h"

#include <sstream>
#include <stdexcept>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace rollcall::tests {
namespace {

std::vector<int> ParseRanks(const std::string& text, int world) {
  std::vector<int> ranks;
  for (const absl::string_view view : absl::StrSplit(text, ',')) {
    const std::string part(view);
    if (part == "*") {
      for (int rank = 0; rank < world; ++rank)
        ranks.push_back(rank);
      continue;
    }
    const std::size_t dash = part.find('-');
    const int first = std::stoi(part),
              last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int rank = first; rank <= last; ++rank)
      ranks.push_back(rank);
  }
  return ranks;
}

// Words, with "quoted text" as one word that keeps its first quote.
std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (quoted) word = '"';
      continue;
    }
    if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
      continue;
    }
    word.push_back(c);
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

Statement ParseStatement(const std::string& text) {
  const std::vector<std::string> words = Words(text);
  if (words.empty()) throw std::runtime_error("empty statement");
  Statement statement;
  statement.verb = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word[0] == '@') {
      const std::size_t colon = word.rfind(':');
      statement.file = word.substr(1, colon - 1);
      statement.line = std::stoi(word.substr(colon + 1));
    } else if (word == "in") {
      statement.functions = absl::StrSplit(words.at(++i), '>');
    } else if (word == "on") {
      statement.communicator = words.at(++i);
    } else if (word[0] == '!') {
      statement.forced = word.substr(1);
    } else if (word[0] == '"') {
      statement.text = word.substr(1);
    } else if (word[0] == 'x' && word.size() > 1 &&
               absl::ascii_isdigit(static_cast<unsigned char>(word[1]))) {
      statement.repeat = std::stoi(word.substr(1));
    } else if (word.rfind("root=", 0) == 0) {
      statement.root = std::stoi(word.substr(5));
    } else if (word.rfind("to=", 0) == 0 || word.rfind("from=", 0) == 0) {
      statement.peer = std::stoi(word.substr(word.find('=') + 1));
    } else if (word.rfind("tag=", 0) == 0) {
      statement.tag = std::stoi(word.substr(4));
    } else if (word.rfind("size=", 0) == 0) {
      statement.size = std::stoi(word.substr(5));
    } else {
      statement.arguments.push_back(word);
    }
  }
  return statement;
}

}  // namespace

Operation OperationOf(const std::string& verb) {
  Operation operation = OPERATION_UNKNOWN;
  Operation_Parse(absl::StrCat("OPERATION_", absl::AsciiStrToUpper(verb)), &operation);
  return operation;
}

Scenario ParseScenario(const std::string& text) {
  Scenario scenario;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    line = line.substr(0, line.find('#'));
    const std::string stripped(absl::StripAsciiWhitespace(line));
    if (stripped.empty()) continue;
    const std::vector<std::string> words = Words(stripped);
    if (words[0] == "world") {
      scenario.world = std::stoi(words.at(1));
      scenario.ranks.resize(static_cast<std::size_t>(scenario.world));
      continue;
    }
    if (words[0] == "comm") {
      scenario.communicators.emplace_back(words.at(1), ParseRanks(words.at(2), scenario.world));
      continue;
    }
    const std::size_t colon = stripped.find(": ");
    if (colon == std::string::npos)
      throw std::runtime_error(absl::StrCat("no ranks before a colon: ", stripped));
    int rounds = 1;
    std::string body = stripped.substr(colon + 2);
    std::string ranks = stripped.substr(0, colon);
    if (words[0] == "repeat") {  // repeat 50 { 0-3: a ; b }
      rounds = std::stoi(words.at(1));
      ranks = words.at(3).substr(0, words.at(3).size() - 1);
      body = body.substr(0, body.rfind('}'));
    }
    for (int round = 0; round < rounds; ++round) {
      for (const absl::string_view part : absl::StrSplit(body, ';')) {
        const Statement statement = ParseStatement(std::string(absl::StripAsciiWhitespace(part)));
        for (const int rank : ParseRanks(ranks, scenario.world)) {
          for (int i = 0; i < statement.repeat; ++i)
            scenario.ranks[static_cast<std::size_t>(rank)].push_back(statement);
        }
      }
    }
  }
  return scenario;
}

}  // namespace rollcall::tests
