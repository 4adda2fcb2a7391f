// One action of a rank: an operation or what a process does, its arguments and modifiers.
#pragma once

#include "analyzer/scenario/token_reader.h"

namespace rollcall::analyzer::scenario {

// Reads up to the end of the action; braces of group and capture are the caller's.
absl::StatusOr<Statement> ParseAction(TokenReader& tokens);

}  // namespace rollcall::analyzer::scenario
