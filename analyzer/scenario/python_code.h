// Python stacks of a trace: sites become frames, frames become code objects with line tables as
// CPython 3.11 has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/job.h"
#include "analyzer/scenario/play.h"
#include "analyzer/scenario/scenario.h"
#include "analyzer/trace/trace_writer.h"

namespace rollcall::analyzer::scenario {

// Lines of callers. A site names the line of its innermost function alone; a caller stands where
// the first of the lines in the function that it calls would.
class CallerLines {
 public:
  explicit CallerLines(const Scenario& scenario);
  // Innermost first.
  std::vector<Frame> UserFrames(const Statement& statement) const;

 private:
  struct Caller {
    std::string file;
    int line = 0;
    bool elsewhere = false;
  };
  std::map<std::string, Caller> callers_;  // by file and functions down to the called one
};

// With the frame of the framework that makes the call.
std::vector<Frame> CallFrames(const CallerLines& lines, const Statement& statement);
// Of a thread in a snapshot.
std::vector<Frame> ThreadFrames(const CallerLines& lines, const Scenario& scenario,
                                const PlayedThread& thread);

class PythonCode {
 public:
  // PythonStack.id; 0 = no frames.
  std::uint32_t StackOf(const std::vector<Frame>& frames);
  // Code objects, then stacks.
  void AddTo(TraceWriter& writer) const;

 private:
  struct Code {
    std::string file, function;
    std::vector<int> lines;  // by code unit
  };
  std::vector<Code> code_;  // id - 1
  std::map<std::pair<std::string, std::string>, std::size_t> code_ids_;
  // Per stack: code and code unit, innermost first.
  std::vector<std::vector<std::pair<std::uint32_t, int>>> stacks_;
  std::map<std::vector<std::pair<std::uint32_t, int>>, std::uint32_t> stack_ids_;
};

}  // namespace rollcall::analyzer::scenario
