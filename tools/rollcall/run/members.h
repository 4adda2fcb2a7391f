// The processes of the job on this node, as /proc shows them: its first process and whoever
// descends from it, also after their parents are gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/rollcall/run/record.h"

namespace rollcall::tools {

// Start time of a process in clock ticks after boot; 0 = there is none.
std::int64_t StartTicks(pid_t pid);

class Members {
 public:
  explicit Members(pid_t first);

  // Looks at /proc once.
  void Scan();

  // Those alive at the last scan.
  std::vector<pid_t> Alive() const;
  // Those in which PyTorch, Gloo or NCCL was seen, with how they ended as far as it was seen.
  std::vector<ProcessRecord> Records() const;
  // Those in which such a library was loaded and the recorder was not, or, when the job left no
  // trace at all, was not reached although the process was started as one of several ranks.
  std::vector<NotInterposed> FindNotInterposed(bool any_trace) const;

 private:
  struct Member {
    std::string program;
    bool alive = true;
    bool communicates = false;  // has loaded PyTorch, Gloo or NCCL
    bool has_recorder = false;
    bool is_rank = false;  // its environment says that it is one of several
    int exit_status = -1;
    int signal = 0;
  };
  using Identity = std::pair<pid_t, std::int64_t>;  // pid, start ticks

  static void Inspect(pid_t pid, Member& member);

  pid_t first_;
  std::map<Identity, Member> members_;
};

}  // namespace rollcall::tools
