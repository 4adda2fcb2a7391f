#include "tools/rollcall/run/verdict.h"

#include <unistd.h>

#include <iostream>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_text.h"
#include "tools/rollcall/analysis.h"
#include "tools/rollcall/run/record.h"

namespace rollcall::tools {
namespace {

// The report, after it was written into the folder.
absl::StatusOr<Report> AnalyzeAndKeep(const std::string& folder) {
  absl::StatusOr<Report> report = AnalyzePaths({folder});
  if (!report.ok()) return report;
  analyzer::TextOptions plain;
  plain.plain = true;
  absl::Status kept =
      ReplaceFile(absl::StrCat(folder, "/report.txt"), analyzer::TextReport(*report, plain));
  kept.Update(ReplaceFile(absl::StrCat(folder, "/report.json"), analyzer::JsonReport(*report)));
  if (!kept.ok()) std::cerr << "rollcall: " << std::string(kept.message()) << std::endl;
  return report;
}

}  // namespace

void Verdict::TellOfHang() {
  const absl::StatusOr<Report> report = AnalyzeAndKeep(folder_);
  if (!report.ok()) {
    std::cerr << "rollcall: " << std::string(report.status().message()) << std::endl;
    return;
  }
  told_ = report->verdict();
  std::cerr << TextFor(*report, STDERR_FILENO, false) << std::flush;
}

void Verdict::TellOfEnd() {
  const absl::StatusOr<Report> report = AnalyzeAndKeep(folder_);
  if (!report.ok()) {
    std::cerr << "rollcall: " << std::string(report.status().message()) << std::endl;
  } else if (report->findings().empty() || report->verdict() == told_) {
    std::cerr << "rollcall: " << report->verdict() << std::endl;
  } else {
    std::cerr << TextFor(*report, STDERR_FILENO, false) << "rollcall: this report is in " << folder_
              << "/report.txt" << std::endl;
  }
}

}  // namespace rollcall::tools
