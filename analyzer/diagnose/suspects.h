// The differential diagnosis: the usual suspects of a job that hangs, dies or learns nothing, each
// confirmed, ruled out, or not visible in collective traces, with the evidence or the one check
// that settles it.
#pragma once

#include <vector>

#include "analyzer/diagnose/examination.h"
#include "report.pb.h"

namespace rollcall::analyzer {

std::vector<Suspect> Suspects(const Examination& exam, const std::vector<Finding>& findings);

}  // namespace rollcall::analyzer
