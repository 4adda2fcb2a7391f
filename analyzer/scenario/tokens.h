// From the text of a scenario to words with places.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/scenario/scenario.h"

namespace rollcall::analyzer::scenario {

enum class TokenKind { kWord, kRanks, kText, kOpen, kClose, kSemicolon, kNewline, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // kRanks: without the colon; kText: without the quotes
  Place place;
};

// "NAME:LINE:COLUMN: MESSAGE".
absl::Status ErrorAt(const std::string& name, Place place, const std::string& message);

// Ends in a kEnd. Comments are left out.
absl::StatusOr<std::vector<Token>> Tokens(absl::string_view text, const std::string& name);

}  // namespace rollcall::analyzer::scenario
