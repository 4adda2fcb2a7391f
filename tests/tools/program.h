// Runs a program as a test's subject: what goes in, what comes out, how it ends.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace rollcall::tests {

struct Outcome {
  int status = -1;  // exit status; -1 after a signal
  int signal = 0;
  std::string output, errors;  // stdout, stderr
};

struct ProgramOptions {
  std::map<std::string, std::string> environment;  // set besides the test's own; "" = unset
  std::string input;                               // stdin
  std::string folder;                              // working directory; "" = the test's own
};

// Started at once; Wait ends it with SIGKILL after a minute, which is a failure.
class Program {
 public:
  explicit Program(const std::vector<std::string>& words, const ProgramOptions& options = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  pid_t pid() const { return pid_; }
  // What it has written to stdout so far; waits until it contains text.
  bool WaitForOutput(const std::string& text);
  Outcome Wait();

 private:
  std::string folder_;  // holds its stdin, stdout and stderr
  pid_t pid_ = -1;
};

Outcome RunProgram(const std::vector<std::string>& words, const ProgramOptions& options = {});

// A folder that is removed with all its contents.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name = "folder");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string root_, path_;
};

std::string ReadFile(const std::string& path);

}  // namespace rollcall::tests
