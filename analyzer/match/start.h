// The calls by which a job comes together, before it has positions: rendezvous of the store,
// construction of groups.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

struct StartCall {
  int process = 0;
  const Call* call = nullptr;
};

// One rendezvous of an incarnation, or the construction of one communicator.
struct Start {
  int communicator = -1;  // -1 = the rendezvous
  int size = 0;           // as asked for; the greatest where they differ
  bool sizes_differ = false;
  std::vector<StartCall> calls;  // by process: its last such call
  std::vector<int> absent;       // global ranks that should have come, as far as it tells
  int unnamed = 0;               // further ones: which ranks they are stands in no trace
  bool waiting = false;          // somebody did not get out
  bool gave_up = false;          // somebody failed
  std::int64_t waited_ns = 0;
};

std::vector<Start> FindStarts(const Job& job, int incarnation);

}  // namespace rollcall::analyzer
