// When a running job is said to hang: a call is pending in a living rank for longer than the limit,
// and in all that time no rank of this node entered, started or ended any call. A job that is slow
// but moves is never called hung.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/rollcall/run/trace_progress.h"

namespace rollcall::tools {

// The rule alone. now_ns: CLOCK_MONOTONIC; a limit of 0 switches it off.
bool Hangs(const Progress& progress, std::int64_t now_ns, double limit_seconds);

class HangWatch {
 public:
  HangWatch(std::string folder, double limit_seconds);

  // Looks at the traces. True once per hang: when it is first seen, and again only after the job
  // went on in between. Before it says true, it has the ranks write where their threads are.
  bool Look();

  // Processes with a trace that were alive at the last look.
  std::vector<pid_t> Alive() const { return traces_.Alive(); }
  // Any trace so far, also of dead processes and other nodes.
  bool AnyTrace() const { return traces_.AnyTrace(); }
  // How often to look, so that a hang is named soon after the limit.
  double interval_seconds() const;

 private:
  TraceProgress traces_;
  double limit_seconds_;
  std::int64_t told_at_stamp_ns_ = -1;  // newest stamp of the hang that was told
};

}  // namespace rollcall::tools
