// A subcommand of `rollcall`: a row of the table in commands.cc. One file per subcommand declares
// its options on a CLI11 application and gives back what to do once they are parsed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rollcall::tools {

// Exit status of every subcommand but `run`, whose status is its job's.
enum ExitStatus { kNothingFound = 0, kFindings = 1, kCannotAnalyze = 2, kWrongUsage = 64 };

// Results go to stdout, messages to stderr as "rollcall: ...". Returns the exit status.
using Action = std::function<int()>;

struct Command {
  const char* name;
  const char* synopsis;  // one line
  const char* example;   // a command line to copy
  // Declares options and positionals; called when the command is the one asked for. `job` holds the
  // words behind `--` when takes_job, and outlives the action.
  Action (*declare)(CLI::App& options, const std::vector<std::string>& job);
  bool takes_job;
};

const std::vector<Command>& Commands();

}  // namespace rollcall::tools
