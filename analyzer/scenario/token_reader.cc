#include "analyzer/scenario/token_reader.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/scenario/closest_word.h"

namespace rollcall::analyzer::scenario {
namespace {

std::string Found(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kNewline:
      return "the end of the line";
    case TokenKind::kRanks:
      return absl::StrCat("'", token.text, ":'");
    case TokenKind::kText:
      return absl::StrCat("\"", token.text, "\"");
    default:
      return absl::StrCat("'", token.text, "'");
  }
}

}  // namespace

absl::Status TokenReader::Expected(const std::string& what, const Token& found,
                                   const std::vector<std::string>& known) const {
  std::string message = absl::StrCat("expected ", what, ", found ", Found(found));
  const std::string meant = found.kind == TokenKind::kWord ? ClosestWord(found.text, known) : "";
  if (!meant.empty()) absl::StrAppend(&message, "; did you mean '", meant, "'?");
  return Error(found.place, message);
}

absl::StatusOr<Token> TokenReader::TakeWord(const std::string& what) {
  if (!At(TokenKind::kWord)) return Expected(what, Peek());
  return Take();
}

absl::StatusOr<int> TokenReader::Number(const Token& word, std::size_t skip,
                                        const std::string& what, int least) const {
  int number = 0;
  if (word.kind != TokenKind::kWord || skip > word.text.size() ||
      !absl::SimpleAtoi(word.text.substr(skip), &number) || number < least)
    return Expected(what, word);
  return number;
}

absl::StatusOr<int> TokenReader::TakeNumber(const std::string& what, int least) {
  const absl::StatusOr<int> number = Number(Peek(), 0, what, least);
  if (number.ok()) Take();
  return number;
}

}  // namespace rollcall::analyzer::scenario
