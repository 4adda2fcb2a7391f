// run.<host>.<pid>.json: what one launcher saw of its job, beside the traces. Written when the job
// starts and again when it ends, each time in one step, so that readers never see half of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace rollcall::tools {

// A process of the job. exit_status -1: not known to the launcher (it is told of its own child; of
// others it sees what /proc shows between their end and their parent's wait).
struct ProcessRecord {
  int pid = 0;
  std::int64_t start_ticks = 0;
  int exit_status = -1;
  int signal = 0;
};

// A process in which PyTorch, Gloo or NCCL was loaded and no hook of the recorder was reached.
struct NotInterposed {
  int pid = 0;
  std::int64_t start_ticks = 0;
  std::string program;
  std::string reason;
};

struct RunRecord {
  std::string host;
  int pid = 0;  // of the launcher
  std::vector<std::string> command;
  std::int64_t started_ns = 0;  // CLOCK_REALTIME
  std::int64_t ended_ns = 0;    // 0 = still running, or the launcher was killed
  int exit_status = -1;         // of the job as a shell would tell it; -1 = still running
  int signal = 0;               // that ended the job's first process
  std::vector<ProcessRecord> processes;
  std::vector<NotInterposed> not_interposed;
};

absl::Status WriteRunRecord(const std::string& folder, const RunRecord& record);

// Writes the file beside its place and renames it: readers see the old or the new contents. Mode
// 0600.
absl::Status ReplaceFile(const std::string& path, const std::string& contents);

}  // namespace rollcall::tools
