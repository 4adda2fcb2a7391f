// The table of subcommands: help, dispatch and suggestions are made from it.
#include "tools/rollcall/commands.h"

namespace rollcall::tools {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {"run", "Run a job and record it; say which rank broke step, also while it hangs.",
       "rollcall run -- torchrun --nproc-per-node 4 train.py", DeclareRun, true},
      {"analyze", "Say which rank broke step, where in its code, and why, from recorded traces.",
       "rollcall analyze rollcall-20260102-150405-4711 --json report.json", DeclareAnalyze, false},
      {"dump", "Print every packet of a trace file, one a line.",
       "rollcall dump rollcall-20260102-150405-4711/node1.4712.836.rollcall", DeclareDump, false},
      {"synth",
       "Write the traces of a job from a scenario: a few lines that say what every rank does.",
       "rollcall synth traces/cases/T26/scenario.txt -o traces-of-t26", DeclareSynth, false},
      {"test", "Analyze cases with expected findings, and print what differs.",
       "rollcall test traces", DeclareTest, false},
  };
  return commands;
}

}  // namespace rollcall::tools
