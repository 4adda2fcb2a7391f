// The built command as tests call it.
#pragma once

#include <string>
#include <vector>

#include "tests/tools/program.h"

namespace rollcall::tests {

inline std::vector<std::string> Rollcall(std::vector<std::string> words) {
  words.insert(words.begin(), ROLLCALL_COMMAND);
  return words;
}

// `rollcall run -o FOLDER -- sh -c SCRIPT`.
inline std::vector<std::string> RunShell(const std::string& folder, const std::string& script) {
  return Rollcall({"run", "-o", folder, "--", "sh", "-c", script});
}

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rollcall::tests
