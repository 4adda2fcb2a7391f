// From a Job to the report: who is the cause, of what kind, and why. See design of the stages in
// analyzer/README.md and the kinds in docs/findings.md.
#pragma once

#include "analyzer/model/job.h"
#include "report.pb.h"

namespace rollcall::analyzer {

// Never fails: what cannot be decided stands in Report.limits. Deterministic: depends on the
// contents of the traces alone.
Report Diagnose(const Job& job);

enum class FailOn { kError, kWarning };

// Of `rollcall analyze`: 0 nothing found, 1 findings of this severity or worse, 2 could not
// analyze.
int ExitStatus(const Report& report, FailOn fail_on);

}  // namespace rollcall::analyzer
