#include "tests/generate/score_table.h"

#include <iomanip>

#include "tests/generate/fault.h"
#include "tests/generate/generated_job.h"

namespace rollcall::tests::generate {

std::vector<Row> Rows(const Run& run, const std::vector<Score>& scores) {
  std::vector<Row> rows = {{"nothing", "none", 0, 0, 0, 0, {}},
                           {"nothing, but is always slow", "none", 0, 0, 0, 0, {}}};
  const std::size_t correct_rows = rows.size();
  for (const Fault& fault : Faults())
    rows.push_back({fault.name, fault.kind, 0, 0, 0, 0, {}});
  for (int number = 0; number < run.correct + run.faulty; ++number) {
    std::size_t fault = HasSlowRanks(number) ? 1 : 0;
    if (number >= run.correct)
      fault = correct_rows + static_cast<std::size_t>(number - run.correct) % Faults().size();
    const Score& score = scores[static_cast<std::size_t>(number)];
    Row& row = rows[fault];
    ++row.jobs;
    row.kind_right += score.kind ? 1 : 0;
    row.ranks_right += score.ranks ? 1 : 0;
    row.line_right += score.line ? 1 : 0;
    if (!score.Full()) row.wrong.push_back(number);
  }
  return rows;
}

void Print(const std::vector<Row>& rows, std::ostream& out) {
  out << std::left << std::setw(22) << "kind" << std::setw(28) << "what a rank does" << std::right
      << std::setw(6) << "jobs" << std::setw(8) << "kind" << std::setw(8) << "ranks" << std::setw(8)
      << "line"
      << "\n";
  for (const Row& row : rows) {
    if (row.jobs == 0) continue;
    out << std::left << std::setw(22) << row.kind << std::setw(28) << row.fault << std::right
        << std::setw(6) << row.jobs << std::setw(8) << row.kind_right << std::setw(8)
        << row.ranks_right << std::setw(8) << row.line_right << (row.wrong.empty() ? "" : "   <-")
        << "\n";
  }
}

}  // namespace rollcall::tests::generate
