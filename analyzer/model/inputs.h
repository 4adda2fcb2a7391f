// Paths given by the user -> trace files and records of launchers.
#pragma once

#include <string>
#include <vector>

namespace rollcall::analyzer {

struct Inputs {
  std::vector<std::string> traces;     // sorted, each once
  std::vector<std::string> launchers;  // run.<host>.<pid>.json
  std::vector<std::string> missing;    // paths that are not there
};

// Files as they are; of folders (flat) what ends in ".rollcall", and the launchers' records.
Inputs FindInputs(const std::vector<std::string>& paths);

}  // namespace rollcall::analyzer
