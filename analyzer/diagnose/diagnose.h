// From a Job to the report: who is the cause, of what kind, and why. See design of the stages in analyzer/README.md and the kinds
// in docs/findings.md.
#pragma once

#include "analyzer/model/job.h"
#include "report.pb.h"

namespace rollcall::analyzer {

// Never fails: what cannot be decided stands in Report.limits. Deterministic: depends on the contents of the traces alone.
Report Diagnose(const Job& job);

}  // namespace rollcall::analyzer
