// From trace files to a Job. Damaged input never costs what is still readable: each file's fate is
// in Job::inputs, what could not be seen in Job::notes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/job.h"
#include "analyzer/model/wanted_rows.h"

namespace rollcall::analyzer {

// paths: trace files and folders of them (flat). An error only when there is nothing at all to
// judge: no readable trace. The message says what was found instead and what to do.
// limits: what is decoded of jobs that are large.
absl::StatusOr<Job> BuildJob(const std::vector<std::string>& paths, const RowLimits& limits = {});

}  // namespace rollcall::analyzer
