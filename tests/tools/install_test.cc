// The same build, installed, works from where it was put.
#include <filesystem>

#include "tests/catch.h"
#include "tests/tools/command.h"

namespace rollcall::tests {

TEST_CASE("the installed command finds the installed recorder, also when the tree is moved") {
  const TemporaryFolder folder("prefix");
  const Outcome installed =
      RunProgram({ROLLCALL_CMAKE, "--install", ROLLCALL_BUILD, "--prefix", folder.path()});
  CAPTURE(installed.errors);
  REQUIRE(installed.status == 0);
  const std::string moved = folder.path() + " moved";
  std::filesystem::rename(folder.path(), moved);
  ProgramOptions options;
  options.environment = {{"LD_PRELOAD", ""}, {"ROLLCALL_LIB", ""}};
  const Outcome outcome = RunProgram({moved + "/bin/rollcall", "run", "-o", moved + "/traces", "--",
                                      "sh", "-c", "readlink -f \"$LD_PRELOAD\""},
                                     options);
  CHECK(outcome.status == 0);
  CHECK(Contains(outcome.output, "/" + std::filesystem::path(moved).filename().string() +
                                     "/" ROLLCALL_LIBRARY_FOLDER "/rollcall/librollcall.so\n"));
  CHECK(std::filesystem::exists(moved + "/share/rollcall/proto/trace.proto"));
}

}  // namespace rollcall::tests
