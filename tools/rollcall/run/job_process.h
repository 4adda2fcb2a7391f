// The job's first process: started as a shell would, in the launcher's own process group and
// session, with its stdin, stdout, stderr, terminal and signal dispositions, so that it cannot tell
// the difference.
//
// The launcher is no subreaper: that would change who the parent of an orphaned process is, and
// programs look (getppid() == 1).
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rollcall::tools {

using Environment = std::vector<std::pair<std::string, std::string>>;

class JobProcess {
 public:
  // Starts command[0], found by PATH, with these variables set. When it cannot be started, says why
  // on stderr and has ended with 126 (found, but cannot be executed) or 127 (not found).
  JobProcess(const std::vector<std::string>& command, const Environment& set);
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  // Handles signals for at most this long, or until the job has ended. Signals that were sent to
  // the launcher alone are passed on; those of the terminal reach the whole foreground group by
  // themselves.
  void Wait(double seconds);

  // The job has ended: signals meant for it are dropped, later ones are the launcher's own.
  void ReleaseSignals();

  pid_t pid() const { return pid_; }
  bool started() const { return started_; }
  bool ended() const { return exit_status_.has_value(); }
  // As a shell tells it: 128+N after signal N.
  int exit_status() const { return exit_status_.value_or(-1); }
  int signal() const { return signal_; }

 private:
  void Reap();

  sigset_t mask_before_;
  pid_t pid_ = -1;
  bool started_ = false;
  std::optional<int> exit_status_;
  int signal_ = 0;
};

}  // namespace rollcall::tools
