// What becomes of a scenario: played with virtual clocks and the semantics of its backend, it says
// which calls complete, which hang, and how every process ended. tests/README.md describes the
// rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/job.h"
#include "analyzer/scenario/scenario.h"

namespace rollcall::analyzer::scenario {

struct PlayedCall {
  int statement = 0;     // index in Scenario::statements
  int communicator = 0;  // index in PlayedProcess::communicators plus 1; 0 = none
  std::int64_t entered_ns = 0, started_ns = 0, completed_ns = 0;  // 0 = not
  CallState state = CallState::kPending;
  int group = 0;                            // number of the outermost group; 0 = in none
  bool captured = false, replayed = false;  // into a graph; by its launch
  int error_code = 0;
  std::string error;
};

struct PlayedCommunicator {
  std::string name;
  Library library = LIBRARY_UNKNOWN;
  int rank = 0, size = 0;
  int parent = 0;  // index plus 1; 0 = none
  std::uint64_t digest = 0;
  int occurrence = 0;
  std::vector<int> members;  // global ranks
  std::int64_t gone_ns = 0;  // 0 = not
  int device = -1;           // -1 = unknown
};

// Where a thread is in a snapshot.
struct PlayedThread {
  int thread = 0;
  int statement = -1;   // whose site it is at; -1 = nothing known
  bool inside = false;  // the call of the statement, or just at its line
  int progress = 0;     // differs between snapshots of a thread that makes progress
};

struct PlayedSnapshot {
  std::int64_t ns = 0;
  std::string reason;
  std::vector<PlayedThread> threads;
};

struct PlayedBackward {
  int statement = 0;
  std::int64_t passes = 0, first_ns = 0, last_ns = 0;
};

// One process: an actor has several when it restarts.
struct PlayedProcess {
  int actor = 0;
  int restarts = 0;  // before it
  std::int64_t started_ns = 0;
  std::vector<PlayedCommunicator> communicators;
  std::vector<PlayedCall> calls;  // by time of entry
  std::vector<PlayedSnapshot> snapshots;
  std::vector<PlayedBackward> backward;
  int threads = 1;
  int device = -1;
  bool has_file = true;
  // kAlive, kExit, kException, kSignal, kKilled. status, signal, ns and exception are set.
  End end;
  int raised_at = -1;             // statement
  std::int64_t exception_ns = 0;  // 0 = none
};

struct Play {
  std::vector<PlayedProcess> processes;
  std::int64_t now_ns = 0;  // when the job is looked at
};

absl::StatusOr<Play> PlayScenario(const Scenario& scenario);

}  // namespace rollcall::analyzer::scenario
