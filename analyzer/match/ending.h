// How each process's part in the job came to its end, once the job's own end is taken away. What
// ends a job is no cause: launchers kill those that are left, and libraries kill those that wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/match/library_error.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

enum class Part {
  kRunning,   // alive, or alive until the job was ended
  kLeft,      // exit, return from main, exec: by itself
  kRaised,    // an uncaught exception of its own
  kKilled,    // a signal, or without notice
  kReaction,  // by an error of the communication library, or with the launcher's signal: judged by
              // where it was before
};

struct Ending {
  Part part = Part::kRunning;
  std::string how;          // "exit status 0", "uncaught ValueError: ...", "killed by SIGKILL ..."
  bool breaks_off = false;  // its trace is cut or damaged, or rows are lost: no more is known
  bool with_job = false;    // kRunning: cut off with all that were left
  bool finishing =
      false;  // aborted in its exit with all calls done: a known race of PyTorch, nobody's fault
  LibraryError reaction = LibraryError::kNone;
  std::string reaction_text;

  // It ended by itself and will make no call any more.
  bool own() const { return part == Part::kLeft || part == Part::kRaised || part == Part::kKilled; }
};

// By process.
std::vector<Ending> JudgeEndings(const Job& job);

// Entered, and neither completed nor known to be nobody's to watch.
bool IsOpen(const Call& call);
// Open, or ended by an error of the library: its peers did not do their part.
bool IsUnfinished(const Process& process, const Call& call);

}  // namespace rollcall::analyzer
