#include "analyzer/scenario/tokens.h"

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer::scenario {
namespace {

bool EndsWord(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';' || c == '{' || c == '}' ||
         c == '#' || c == '"';
}

TokenKind KindOf(char c) {
  switch (c) {
    case '{':
      return TokenKind::kOpen;
    case '}':
      return TokenKind::kClose;
    case ';':
      return TokenKind::kSemicolon;
    default:
      return TokenKind::kNewline;
  }
}

}  // namespace

absl::Status ErrorAt(const std::string& name, Place place, const std::string& message) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ":", place.line, ":", place.column, ": ", message));
}

absl::StatusOr<std::vector<Token>> Tokens(absl::string_view text, const std::string& name) {
  std::vector<Token> tokens;
  Place place{1, 1};
  std::size_t at = 0;
  const auto step = [&] {
    if (text[at] == '\n') {
      ++place.line;
      place.column = 0;
    }
    ++place.column;
    ++at;
  };
  while (at < text.size()) {
    const char c = text[at];
    const Place begin = place;
    if (c == '#') {
      while (at < text.size() && text[at] != '\n')
        step();
    } else if (c == '"') {
      std::string quoted;
      step();
      while (at < text.size() && text[at] != '"' && text[at] != '\n') {
        if (text[at] == '\\' && at + 1 < text.size() &&
            (text[at + 1] == '"' || text[at + 1] == '\\'))
          step();
        quoted.push_back(text[at]);
        step();
      }
      if (at == text.size() || text[at] != '"')
        return ErrorAt(name, begin, "expected a '\"' that ends this text on its line");
      step();
      tokens.push_back({TokenKind::kText, quoted, begin});
    } else if (c == ' ' || c == '\t' || c == '\r') {
      step();
    } else if (EndsWord(c)) {
      tokens.push_back({KindOf(c), std::string(1, c == '\n' ? ' ' : c), begin});
      step();
    } else {
      std::string word;
      while (at < text.size() && !EndsWord(text[at])) {
        word.push_back(text[at]);
        step();
      }
      const bool ranks = word.back() == ':' && word.front() != '@';
      if (ranks) word.pop_back();
      tokens.push_back({ranks ? TokenKind::kRanks : TokenKind::kWord, word, begin});
    }
  }
  tokens.push_back({TokenKind::kEnd, "", place});
  return tokens;
}

}  // namespace rollcall::analyzer::scenario
