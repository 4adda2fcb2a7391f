// Paths given by the user -> trace files and records of launchers.
#pragma once

#include <string>
#include <vector>

namespace rollcall::analyzer {

struct Inputs {
  std::vector<std::string> traces;         // sorted, each file once
  std::vector<std::string> launchers;      // run.<host>.<pid>.json
  std::vector<std::string> missing;        // a sentence for each path that cannot be looked at
  std::vector<std::string> repeated;       // more names of files that are among the traces
  int other_files = 0;                     // in the folders, and no traces by their names
  std::vector<std::string> inner_folders;  // in the folders: not looked into
};

// Files as they are; of folders (flat) what ends in ".rollcall", and the launchers' records.
Inputs FindInputs(const std::vector<std::string>& paths);

}  // namespace rollcall::analyzer
