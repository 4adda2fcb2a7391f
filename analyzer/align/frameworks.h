// Packages that stand between a user and a collective call, by their modules: those that make the
// calls, and those that merely start the user's code.
#pragma once

#include <string>
#include <vector>

namespace rollcall::analyzer {

struct Framework {
  // Top-level module.
  const char* module;
  // What to find below it in a checkout or an editable install, where no site-packages tells that
  // the name is a module; "" = the name alone is distinct enough.
  std::vector<const char*> parts;
  // Starts programs (notebooks, command lines, debuggers) or wraps functions (decorators), and
  // makes no calls itself.
  bool starter = false;
};

// The framework that a file belongs to, by the parts of its path; null = none known.
const Framework* FrameworkOf(const std::vector<std::string>& parts);

// The file as a path below the framework's module, "torch/nn/modules/module.py"; "" = of none.
std::string PathInFramework(const std::string& file);

bool IsPackageFolder(const std::string& part);

}  // namespace rollcall::analyzer
