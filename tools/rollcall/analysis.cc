#include "tools/rollcall/analysis.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/build_job.h"
#include "analyzer/model/inputs.h"
#include "analyzer/model/launcher_record.h"
#include "analyzer/report/report_text.h"

namespace rollcall::tools {
namespace {

bool HasCalls(const analyzer::Job& job) {
  return std::any_of(job.processes.begin(), job.processes.end(),
                     [](const analyzer::Process& process) {
                       return !process.calls.empty() || process.first_row > 0;
                     });
}

// What the launchers' records at these paths say about processes that the recorder did not reach;
// "" = nothing.
std::string MissedProcesses(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : analyzer::FindInputs(paths).launchers) {
    const absl::StatusOr<analyzer::LauncherRecord> record = analyzer::ReadLauncherRecord(path);
    if (!record.ok()) continue;
    for (const std::string& sentence : record->not_interposed)
      absl::StrAppend(&text, "\n  ", sentence);
  }
  return text;
}

// What is wrong with the files; "" = nothing.
std::string Damage(const analyzer::Job& job) {
  std::string text;
  for (const analyzer::InputFile& input : job.inputs) {
    if (input.state != "complete")
      absl::StrAppend(&text, "\n  ", input.path, ": ", input.state, ": ", input.message);
  }
  return text;
}

}  // namespace

absl::StatusOr<Report> AnalyzePaths(const std::vector<std::string>& paths) {
  const absl::StatusOr<analyzer::Job> job = analyzer::BuildJob(paths);
  if (job.ok() && HasCalls(*job)) return analyzer::Diagnose(*job);
  if (const std::string reasons = MissedProcesses(paths); !reasons.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("not interposed: the recorder did not reach the job:", reasons));
  }
  if (!job.ok()) return job.status();
  if (const std::string damage = Damage(*job); !damage.empty())
    return absl::DataLossError(absl::StrCat("no call can be read:", damage));
  return absl::NotFoundError(
      "no call and no rendezvous was recorded: no process of the job used torch.distributed or "
      "Gloo");
}

std::string TextFor(const Report& report, int descriptor, bool plain) {
  analyzer::TextOptions options;
  options.plain = plain;
  if (!plain && isatty(descriptor) != 0) {
    const char* no_colour = std::getenv("NO_COLOR");
    options.colour = no_colour == nullptr || *no_colour == '\0';
    winsize size = {};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) options.width = size.ws_col;
  }
  return analyzer::TextReport(report, options);
}

bool HasFinding(const Report& report, const std::string& severity) {
  return std::any_of(report.findings().begin(), report.findings().end(),
                     [&](const Finding& finding) {
                       return finding.severity() == "error" || finding.severity() == severity;
                     });
}

}  // namespace rollcall::tools
