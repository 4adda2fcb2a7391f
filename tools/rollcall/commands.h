// What each file of a subcommand offers to the table in commands.cc.
#pragma once

#include <string>
#include <vector>

#include "tools/rollcall/command.h"

namespace rollcall::tools {

Action DeclareRun(CLI::App& options, const std::vector<std::string>& job);
Action DeclareAnalyze(CLI::App& options, const std::vector<std::string>& job);
Action DeclareDump(CLI::App& options, const std::vector<std::string>& job);
Action DeclareSynth(CLI::App& options, const std::vector<std::string>& job);
Action DeclareTest(CLI::App& options, const std::vector<std::string>& job);

}  // namespace rollcall::tools
