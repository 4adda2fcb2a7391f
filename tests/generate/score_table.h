// What came of a run, by fault.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/generate/expectation.h"
#include "tests/generate/workers.h"

namespace rollcall::tests::generate {

struct Row {
  std::string fault, kind;
  int jobs = 0, kind_right = 0, ranks_right = 0, line_right = 0;
  std::vector<int> wrong;  // numbers of jobs
};

// Correct jobs first.
std::vector<Row> Rows(const Run& run, const std::vector<Score>& scores);
void Print(const std::vector<Row>& rows, std::ostream& out);

}  // namespace rollcall::tests::generate
