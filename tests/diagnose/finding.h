// What the tests ask of a report.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/diagnose/diagnose.h"
#include "tests/diagnose/job_text.h"

namespace rollcall::tests {

inline Finding First(const Report& report) {
  if (report.findings().empty()) throw std::runtime_error("no finding: " + report.verdict());
  return report.findings(0);
}

inline Report Judged(const std::string& scenario) {
  return analyzer::Diagnose(JobFromText(scenario));
}

inline Finding FirstOf(const std::string& scenario) {
  return First(Judged(scenario));
}

inline std::vector<int> RanksOf(const Finding& finding) {
  return {finding.ranks().begin(), finding.ranks().end()};
}

inline std::vector<int> VictimsOf(const Finding& finding) {
  return {finding.victims().begin(), finding.victims().end()};
}

// "train.py:41" of the rank; "" = the report has no site of it.
inline std::string LineOf(const Finding& finding, int rank) {
  for (const SiteSide& site : finding.sites()) {
    if (site.rank() == rank) return site.file() + ":" + std::to_string(site.line());
  }
  return "";
}

inline bool Says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rollcall::tests
