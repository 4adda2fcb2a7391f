// A process between its file and the Job: the Process as far as its definitions tell, and what its
// rows need to be understood.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/job.h"
#include "analyzer/trace/trace_file.h"

namespace rollcall::analyzer {

struct LoadedProcess {
  TraceFile trace;  // without definitions once they are taken in
  Process process;
  std::int64_t clock_offset = 0;  // added to CLOCK_MONOTONIC of the host

  // Ids of the trace -> indices in `process`.
  absl::flat_hash_map<std::uint32_t, int> shapes, communicators, python_stacks, native_stacks,
      threads;
  absl::flat_hash_map<std::uint32_t, Lane> lanes;
  std::vector<bool> is_position;  // by index of shape: a collective of its communicator
  // By index of communicator: lane of its collectives; 0 = none.
  std::vector<std::uint32_t> collective_lane;
  // By index of communicator: global ranks of its members where the trace tells them.
  std::map<int, std::vector<int>> members;

  std::int64_t Time(std::int64_t monotonic_ns) const {
    return monotonic_ns == 0 ? 0 : monotonic_ns + clock_offset;
  }
};

// Takes in trace.definitions; may be called again with definitions that a live file got since.
void TakeDefinitions(const std::vector<Definition>& definitions, LoadedProcess& loaded);
// What the header and the state page say, once clock_offset is known.
void TakeHeader(LoadedProcess& loaded);
// Snapshots, ends of communicators, members, notes of the recorder: events that are not about a
// row.
void TakeProcessEvents(LoadedProcess& loaded);

// One offset per host and boot, so that times of one host stay exactly comparable. Independent of
// the order of `loaded`.
void SetClockOffsets(std::vector<LoadedProcess>& loaded);

}  // namespace rollcall::analyzer
