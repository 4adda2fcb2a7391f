// Reads tokens one after the other, and says what was expected where something else is found.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/scenario/tokens.h"

namespace rollcall::analyzer::scenario {

class TokenReader {
 public:
  TokenReader(std::vector<Token> tokens, std::string name)
      : tokens_(std::move(tokens)), name_(std::move(name)) {}

  const Token& Peek() const { return tokens_[at_]; }
  bool At(TokenKind kind) const { return Peek().kind == kind; }
  Token Take() {
    const Token& token = tokens_[at_];
    if (token.kind != TokenKind::kEnd) ++at_;
    return token;
  }
  // Behind the last word of an action or fact?
  bool AtEndOfAction() const {
    return At(TokenKind::kEnd) || At(TokenKind::kNewline) || At(TokenKind::kSemicolon) ||
           At(TokenKind::kClose);
  }

  // "expected WHAT, found 'TOKEN'; did you mean 'NEAREST OF KNOWN'?"
  absl::Status Expected(const std::string& what, const Token& found,
                        const std::vector<std::string>& known = {}) const;
  absl::Status Error(Place place, const std::string& message) const {
    return ErrorAt(name_, place, message);
  }
  absl::StatusOr<Token> TakeWord(const std::string& what);
  absl::StatusOr<int> TakeNumber(const std::string& what, int least);

  // Of a word, or of its part behind `skip` characters.
  absl::StatusOr<int> Number(const Token& word, std::size_t skip, const std::string& what,
                             int least) const;

 private:
  std::vector<Token> tokens_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace rollcall::analyzer::scenario
