// The report for people.
#pragma once

#include <string>

#include "report.pb.h"

namespace rollcall::analyzer {

struct TextOptions {
  bool colour = false;  // ANSI colours
  int width = 100;      // columns
  bool plain = false;   // stable for scripts: no colour, no folding by width
};

// First line: the verdict. Ends with a newline.
std::string TextReport(const Report& report, const TextOptions& options);

}  // namespace rollcall::analyzer
