// rollcall: the command. Everything it can do is in the table of commands.cc.
#include <string>
#include <vector>

#include "tools/rollcall/command_line.h"

int main(int argc, char** argv) {
  return rollcall::tools::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc));
}
