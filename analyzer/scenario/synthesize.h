// From a scenario to trace files: what `rollcall synth` does.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/scenario/play.h"

namespace rollcall::analyzer::scenario {

struct TraceImage {
  std::string name;  // of the file
  std::string bytes;
};

// One per process that has a file; equal bytes for equal scenarios.
std::vector<TraceImage> WritePlay(const Scenario& scenario, const Play& play);

// name: what messages call the text.
absl::StatusOr<std::vector<TraceImage>> Synthesize(absl::string_view text, const std::string& name);

// Makes the folder if it is not there. Traces in it are an error: they would be mixed with these.
absl::Status WriteTraces(const std::vector<TraceImage>& images, const std::string& folder);

}  // namespace rollcall::analyzer::scenario
