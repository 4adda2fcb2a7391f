// From text to a scenario. tests/README.md has the grammar.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/scenario/scenario.h"

namespace rollcall::analyzer::scenario {

// name: what messages call the text. They are "NAME:LINE:COLUMN: expected ..., found '...'".
absl::StatusOr<Scenario> ParseScenario(absl::string_view text, const std::string& name);

}  // namespace rollcall::analyzer::scenario
