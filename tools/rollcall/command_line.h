// From the words of a command line to the action of a subcommand.
#pragma once

#include <string>
#include <vector>

namespace rollcall::tools {

// words: without the program's name. Returns the exit status; wrong usage is said on stderr and
// gives 64.
int RunCommandLine(std::vector<std::string> words);

}  // namespace rollcall::tools
