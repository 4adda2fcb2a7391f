// The life of a job under `rollcall run`: prepare, start, watch, report.
#pragma once

#include <string>
#include <vector>

namespace rollcall::tools {

struct RunSettings {
  std::string folder;  // "" = rollcall-<time>-<pid>
  std::string on_hang = "report";
  double hang_after = 60;  // seconds; 0 = never
};

// Returns the exit status of `rollcall run`.
int Supervise(const RunSettings& settings, const std::vector<std::string>& job);

}  // namespace rollcall::tools
