// One statement of the test language, parsed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::tests {

struct Statement {
  std::string verb;                    // "allreduce", "exit", ...
  std::vector<std::string> arguments;  // what is not understood as a modifier, in order
  std::string communicator = "world";
  std::string file;
  int line = 0;
  std::vector<std::string> functions;  // outermost first
  int repeat = 1;
  std::string forced;  // "completed", "failed", "entered"
  std::string text;    // quoted
  std::optional<int> root;
  std::optional<int> peer;  // to= or from=
  int tag = -1;
  int size = 0;
};

struct Scenario {
  int world = 0;
  std::vector<std::pair<std::string, std::vector<int>>> communicators;  // beside the world
  std::vector<std::vector<Statement>> ranks;                            // by rank
};

Scenario ParseScenario(const std::string& text);
Operation OperationOf(const std::string& verb);  // OPERATION_UNKNOWN when it is no operation

}  // namespace rollcall::tests
