// rollcall run: a job under the recorder. stdout, stderr, stdin and the exit status are the job's;
// ours is said on stderr when it hangs and when it has ended. Whatever goes wrong on our side, the
// job runs.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "tools/rollcall/commands.h"
#include "tools/rollcall/run/supervisor.h"

namespace rollcall::tools {

Action DeclareRun(CLI::App& options, const std::vector<std::string>& job) {
  const auto settings = std::make_shared<RunSettings>();
  // The recorder's own setting counts too, but a wrong one must not keep the job from running.
  if (const char* seconds = std::getenv("ROLLCALL_HANG_SECONDS"); seconds != nullptr) {
    double value = 0;
    if (absl::SimpleAtod(seconds, &value) && value >= 0) settings->hang_after = value;
  }
  options
      .add_option("-o,--output", settings->folder,
                  "Folder for traces and report (default: rollcall-<time>-<pid>)")
      ->type_name("DIR");
  options
      .add_option("--on-hang", settings->on_hang,
                  "What to do with a job that hangs: report (default), or kill it as well")
      ->type_name("report|kill")
      ->check(CLI::IsMember({"report", "kill"}).description(""));
  options
      .add_option(
          "--hang-after", settings->hang_after,
          "A call that waits this long while no rank moves is a hang (default 60; 0: none is)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e9).description(""));
  options.footer(
      "\nExit status: the job's own; 128+N after signal N; 124 after --on-hang kill; 126 and 127 "
      "as in sh: the command cannot be "
      "executed, is not found.\n" +
      options.get_footer());
  return [settings, &job] { return Supervise(*settings, job); };
}

}  // namespace rollcall::tools
