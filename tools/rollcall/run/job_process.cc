#include "tools/rollcall/run/job_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace rollcall::tools {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// Blocked and fetched by sigtimedwait: no handler, so what the launcher was told to ignore stays
// ignored.
sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int number : kForwarded)
    sigaddset(&set, number);
  return set;
}

int StatusOfExecError(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG ? 127 : 126;
}

[[noreturn]] void Execute(const std::vector<std::string>& command, const Environment& set,
                          int error_pipe) {
  for (const auto& [name, value] : set)
    setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(error_pipe, &error, sizeof error);
  _exit(StatusOfExecError(error));
}

}  // namespace

JobProcess::JobProcess(const std::vector<std::string>& command, const Environment& set) {
  const sigset_t watched = WatchedSignals();
  sigprocmask(SIG_BLOCK, &watched, &mask_before_);
  struct sigaction child_before = {}, by_default = {};
  by_default.sa_handler = SIG_DFL;  // an inherited "ignore" would take the job's status away
  sigaction(SIGCHLD, &by_default, &child_before);
  std::cout.flush();
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0 || (pid_ = fork()) < 0) {
    std::cerr << "rollcall: cannot start a process: " << std::strerror(errno) << "\n";
    exit_status_ = 126;
    return;
  }
  if (pid_ == 0) {
    sigaction(SIGCHLD, &child_before, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    Execute(command, set, error_pipe[1]);
  }
  close(error_pipe[1]);
  // The job lives on when nobody reads our messages.
  ::signal(SIGPIPE, SIG_IGN);
  int error = 0;
  ssize_t got;
  do {
    got = read(error_pipe[0], &error, sizeof error);  // 0 bytes: exec closed the pipe
  } while (got < 0 && errno == EINTR);
  close(error_pipe[0]);
  started_ = got != sizeof error;
  if (!started_) {
    std::cerr << "rollcall: " << command[0] << ": "
              << (error == ENOENT ? "command not found" : std::strerror(error)) << "\n";
    while (!ended())
      Wait(1);
  }
}

void JobProcess::Wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const sigset_t watched = WatchedSignals();
  const Clock::time_point until =
      Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  Reap();
  while (!ended()) {
    const std::int64_t left = std::chrono::nanoseconds(until - Clock::now()).count();
    if (left <= 0) return;
    const timespec timeout = {static_cast<time_t>(left / 1000000000),
                              static_cast<long>(left % 1000000000)};
    siginfo_t info = {};
    const int number = sigtimedwait(&watched, &info, &timeout);
    if (number == SIGCHLD) {
      Reap();
    } else if (number > 0 &&
               info.si_code !=
                   SI_KERNEL) {  // SI_KERNEL: the terminal, which signals the job as well
      kill(pid_, number);
    }
  }
}

void JobProcess::ReleaseSignals() {
  const sigset_t watched = WatchedSignals();
  const timespec now = {};
  while (sigtimedwait(&watched, nullptr, &now) > 0) {
  }
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void JobProcess::Reap() {
  int status = 0;
  if (ended() || waitpid(pid_, &status, WNOHANG) != pid_) return;
  signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exit_status_ = WIFSIGNALED(status) ? 128 + signal_ : WEXITSTATUS(status);
}

}  // namespace rollcall::tools
