// The report for machines: design of the JSON in docs/report.md. All fields always present, numbers
// as numbers.
#pragma once

#include <string>

#include "report.pb.h"

namespace rollcall::analyzer {

// One JSON object and a newline.
std::string JsonReport(const Report& report);

}  // namespace rollcall::analyzer
