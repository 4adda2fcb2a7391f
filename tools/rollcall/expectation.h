// What a case of a corpus expects of the report on it: expected.txt. traces/README.md has its
// grammar.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "report.pb.h"

namespace rollcall::tools {

struct Expectation {
  struct Statement {
    std::string word, rest;
  };
  std::vector<Statement> statements;
};

// name: what messages call the text.
absl::StatusOr<Expectation> ParseExpectation(const std::string& text, const std::string& name);

// What the report says otherwise, a line each. exit_status: of `rollcall analyze`.
std::vector<std::string> Differences(const Expectation& expectation, const Report& report,
                                     int exit_status);

}  // namespace rollcall::tools
