// Whether the ranks of a running job get on, read from the raw blocks of their traces: cheap enough
// to be done every second, and safe while they are written.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rollcall::tools {

// Times: CLOCK_MONOTONIC of this node, ns; 0 = none.
struct Progress {
  std::int64_t newest_stamp_ns = 0;  // last call entered, started or ended in any file
  std::int64_t oldest_pending_ns =
      0;  // entry of the oldest call that is pending in a process that is alive
};

class TraceProgress {
 public:
  explicit TraceProgress(std::string folder);

  // Looks at the traces of processes that are alive on this node.
  Progress Look();
  // Processes that Look found alive.
  std::vector<pid_t> Alive() const;
  // Whether there is any trace in the folder, of living or dead processes of any node.
  bool AnyTrace() const;

  // Asks these processes to write where their threads are, and waits for at most this long until
  // all have.
  void RequestSnapshots(double seconds) const;

 private:
  struct Block {
    std::uint64_t sequence = 0;
    bool closed = false;  // every row is used and ended: nothing changes until the block is reused
    std::int64_t newest_ns = 0;
  };
  struct File {
    pid_t pid = 0;
    std::map<std::int64_t, Block> blocks;  // by offset
  };

  void LookAt(const std::string& path, File& file, Progress& progress) const;

  std::string folder_;
  std::map<std::string, File> alive_;  // by path
};

}  // namespace rollcall::tools
