// run.<host>.<pid>.json: what the launcher saw of the processes that it started, and a trace cannot
// tell.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

struct LauncherProcess {
  int pid = 0;
  std::int64_t start_ticks = 0;
  int exit_status = -1;  // -1 = not known
  int signal = 0;
};

struct LauncherRecord {
  std::string host;
  std::vector<LauncherProcess> processes;
  std::vector<std::string> not_interposed;  // a sentence each
};

// Unknown fields are ignored, absent ones have the values above.
absl::StatusOr<LauncherRecord> ReadLauncherRecord(const std::string& path);
// Corrects the end of a process that said nothing: the signal that killed it, or that it did end.
void ApplyLauncherRecord(const LauncherRecord& record, Process& process);

}  // namespace rollcall::analyzer
