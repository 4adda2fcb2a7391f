// The report of a run, on stderr and in its folder (report.txt, report.json).
#pragma once

#include <string>
#include <utility>

namespace rollcall::tools {

class Verdict {
 public:
  explicit Verdict(std::string folder) : folder_(std::move(folder)) {}

  void TellOfHang();
  // The whole report when there are findings that were not told during a hang, else one line.
  void TellOfEnd();

 private:
  std::string folder_;
  std::string told_;  // the verdict that was told with its report
};

}  // namespace rollcall::tools
