// What cannot be known from the data, each with what would settle it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnose/examination.h"
#include "report.pb.h"

namespace rollcall::analyzer {

std::vector<std::string> Limits(const Examination& exam, const std::vector<Finding>& findings);

// Why there is nothing to judge, and what to do; "" = there is.
std::string WhyNotAnalyzable(const Job& job);

}  // namespace rollcall::analyzer
