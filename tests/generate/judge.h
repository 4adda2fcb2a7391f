// A job's way through the analyzer: text, play, trace files, report.
#pragma once

#include <string>

#include "report.pb.h"
#include "tests/generate/expectation.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

// Where traces are put; its contents are removed.
class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Throws std::runtime_error when the text is no scenario, when the traces cannot be read, and when
// a job that ought to be correct does not come to its end.
Report ReportOn(const Script& script, bool is_correct, const TraceFolder& folder);

Score Judge(const Script& script, const Expectation& expectation, const TraceFolder& folder);

}  // namespace rollcall::tests::generate
