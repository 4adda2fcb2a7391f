// What `rollcall run` gives to the job, and what it leaves in the folder.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/tools/command.h"

namespace rollcall::tests {
namespace {

namespace fs = std::filesystem;

const std::string kPrintPreload = "echo \"$LD_PRELOAD\"";

}  // namespace

TEST_CASE("an existing LD_PRELOAD is kept, and the recorder comes behind it") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.environment["LD_PRELOAD"] = "libm.so.6:libdl.so.2";
  const Outcome outcome = RunProgram(RunShell(folder.path(), kPrintPreload), options);
  CHECK(outcome.output == "libm.so.6:libdl.so.2:" ROLLCALL_RECORDER "\n");
}

TEST_CASE("the recorder is found in the build tree, or where ROLLCALL_LIB says") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.environment = {{"LD_PRELOAD", ""}, {"ROLLCALL_LIB", ""}};
  CHECK(RunProgram(RunShell(folder.path(), kPrintPreload), options).output == ROLLCALL_RECORDER
        "\n");
  fs::copy_file(ROLLCALL_RECORDER, folder.path() + "/librollcall.so");
  options.environment["ROLLCALL_LIB"] = folder.path();
  CHECK(RunProgram(RunShell(folder.path(), kPrintPreload), options).output ==
        folder.path() + "/librollcall.so\n");
}

TEST_CASE("a recorder whose path has a space or a colon is loaded through a link") {
  for (const std::string name : {"with space", "with:colon", "with$dollar"}) {
    CAPTURE(name);
    const TemporaryFolder folder(name);
    fs::copy_file(ROLLCALL_RECORDER, folder.path() + "/librollcall.so");
    ProgramOptions options;
    options.environment = {{"LD_PRELOAD", ""}, {"ROLLCALL_LIB", folder.path()}};
    const Outcome outcome = RunProgram(
        RunShell(folder.path(), kPrintPreload + "; grep -c /librollcall /proc/self/maps"), options);
    const std::string link = outcome.output.substr(0, outcome.output.find('\n'));
    CHECK(link.find_first_of(" :$") == std::string::npos);
    CHECK(fs::canonical(link) == fs::canonical(folder.path() + "/librollcall.so"));
    CHECK_FALSE(Contains(outcome.output, "\n0\n"));  // it is mapped
    CHECK_FALSE(Contains(outcome.errors, "cannot be preloaded"));
    fs::remove(link);
  }
}

TEST_CASE("a recorder that is not there is said, and the job runs") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.environment["ROLLCALL_LIB"] = "/nowhere/librollcall.so";
  const Outcome outcome = RunProgram(RunShell(folder.path(), "echo done; exit 4"), options);
  CHECK(outcome.status == 4);
  CHECK(outcome.output == "done\n");
  CHECK(Contains(outcome.errors, "the job runs unrecorded"));
}

TEST_CASE("ROLLCALL_DIR is absolute, and the folder is for its owner alone") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.folder = folder.path();
  const Outcome outcome = RunProgram(
      RunShell("a/b", "echo $ROLLCALL_DIR $ROLLCALL_HANG_SECONDS; stat -c %a $ROLLCALL_DIR"),
      options);
  CHECK(outcome.output == fs::canonical(folder.path()).string() + "/a/b 60\n700\n");
}

TEST_CASE("without -o the folder is named after time and process") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.folder = folder.path();
  const Outcome outcome =
      RunProgram(Rollcall({"run", "--hang-after", "7.5", "--", "sh", "-c",
                           "basename $ROLLCALL_DIR; echo $ROLLCALL_HANG_SECONDS; echo $PPID"}),
                 options);
  const std::string pid = outcome.output.substr(outcome.output.find("\n7.5\n") + 5);
  CHECK(outcome.output.rfind("rollcall-2", 0) == 0);
  CHECK(Contains(outcome.output, "-" + pid));
}

TEST_CASE("a folder that cannot be made is said, and the job runs") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/file") << "not a folder";
  const Outcome outcome = RunProgram(RunShell(folder.path() + "/file", "echo done; exit 4"));
  CHECK(outcome.status == 4);
  CHECK(outcome.output == "done\n");
  CHECK(Contains(outcome.errors, "the job runs unrecorded"));
}

TEST_CASE("the run record tells the command and how it ended") {
  const TemporaryFolder folder;
  RunProgram(Rollcall({"run", "-o", folder.path(), "--", "sh", "-c", "kill -9 $$", "\"\xff\n"}));
  std::string record;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("run.", 0) == 0) record = ReadFile(entry.path().string());
  }
  CHECK(Contains(record, "\"format\": 1"));
  CHECK(Contains(record, R"("command": ["sh", "-c", "kill -9 $$", "\"\u00ff\u000a"])"));
  CHECK(Contains(record, "\"exit_status\": 137, \"signal\": 9,"));
  CHECK(Contains(record, "\"not_interposed\": []"));
}

TEST_CASE("a job that made no collective call gets one line, and analyze cannot judge it") {
  const TemporaryFolder folder;
  const Outcome outcome = RunProgram(RunShell(folder.path(), "true"));
  CHECK(outcome.errors.rfind("rollcall: ", 0) == 0);
  CHECK(outcome.errors.find('\n') == outcome.errors.size() - 1);
  CHECK(RunProgram(Rollcall({"analyze", folder.path()})).status == 2);
}

}  // namespace rollcall::tests
