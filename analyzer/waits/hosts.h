// Threads of the host that make calls, and the calls in which they wait. A thread that waits makes
// nothing behind it.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Queued on a stream of a device: its host goes on.
bool IsKernel(const Process& process, const Shape& shape);

struct Host {
  std::vector<int> communicators;      // indices in Job::communicators that it used, sorted
  std::vector<std::int64_t> waits_in;  // indices in Process::calls; empty = in none
  int open_groups = 0;                 // more starts of groups than ends, where they are recorded
};

struct HostsOfProcess {
  std::vector<Host> hosts;
  std::vector<int> of_shape;             // index in hosts, by index in Process::shapes
  std::vector<std::int64_t> unfinished;  // indices in Process::calls, in their order
};

HostsOfProcess FindHosts(const Process& process);

}  // namespace rollcall::analyzer
