// From paths to a report, and the report to people and programs: what `analyze` and `run` share.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "report.pb.h"

namespace rollcall::tools {

// Reads the traces at paths and judges them. An error when there is nothing to judge: no readable
// trace, no call and no rendezvous in any of them, or a job that was not interposed; its message
// says which, and what to do.
absl::StatusOr<Report> AnalyzePaths(const std::vector<std::string>& paths);

// The report as text for the file descriptor: coloured and folded to its width when it is a
// terminal.
std::string TextFor(const Report& report, int descriptor, bool plain);

// Whether a finding has this severity or a graver one.
bool HasFinding(const Report& report, const std::string& severity);

}  // namespace rollcall::tools
