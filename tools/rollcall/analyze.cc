// rollcall analyze: which rank broke step, from recorded traces.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/report/report_json.h"
#include "tools/rollcall/analysis.h"
#include "tools/rollcall/commands.h"

namespace rollcall::tools {
namespace {

struct Settings {
  std::vector<std::string> paths;
  std::string json;
  std::string fail_on = "error";
  bool plain = false;
};

bool WriteJson(const Report& report, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << analyzer::JsonReport(report);
  file.close();
  if (!file) std::cerr << "rollcall: cannot write " << path << "\n";
  return static_cast<bool>(file);
}

int Analyze(const Settings& settings) {
  const absl::StatusOr<Report> report = AnalyzePaths(settings.paths);
  if (!report.ok()) {
    std::cerr << "rollcall: " << std::string(report.status().message()) << "\n";
    return kCannotAnalyze;
  }
  if (settings.json == "-") {
    std::cout << analyzer::JsonReport(*report) << std::flush;
  } else {
    std::cout << TextFor(*report, STDOUT_FILENO, settings.plain) << std::flush;
    if (!settings.json.empty() && !WriteJson(*report, settings.json)) return kCannotAnalyze;
  }
  if (!std::cout) {
    std::cerr << "rollcall: cannot write to stdout\n";
    return kCannotAnalyze;
  }
  return HasFinding(*report, settings.fail_on) ? kFindings : kNothingFound;
}

}  // namespace

Action DeclareAnalyze(CLI::App& options, const std::vector<std::string>&) {
  const auto settings = std::make_shared<Settings>();
  options.add_option("PATH", settings->paths, "Trace files, or folders of them")->required();
  options
      .add_option("--json", settings->json,
                  "Write the report as JSON to this file too; - prints it instead of the text")
      ->type_name("FILE");
  options.add_flag("--plain", settings->plain,
                   "Text that is stable for scripts: no colour, no folding");
  options
      .add_option("--fail-on", settings->fail_on,
                  "Exit with 1 from this severity on: error (default) or warning")
      ->type_name("SEVERITY")
      ->check(CLI::IsMember({"error", "warning"}).description(""));
  options.footer(
      "Exit status: 0 nothing found, 1 findings, 2 could not analyze, 64 wrong usage.\n" +
      options.get_footer());
  return [settings] { return Analyze(*settings); };
}

}  // namespace rollcall::tools
