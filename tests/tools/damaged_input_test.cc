// What is wrong with the input is said, the rest is judged, and the exit status tells which.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/model/synthetic_job.h"
#include "tests/tools/command.h"

namespace rollcall::tests {
namespace {

using Folder = analyzer::TemporaryFolder;
using analyzer::EarlyExitTrace;
using analyzer::SyntheticRank;

void WriteJob(const Folder& folder, int without = -1) {
  for (int rank = 0; rank < 4; ++rank) {
    if (rank != without) folder.Write(SyntheticRank::FileName(rank), EarlyExitTrace(rank));
  }
}

Outcome Analyze(std::vector<std::string> paths) {
  paths.insert(paths.begin(), {"analyze", "--plain"});
  return RunProgram(Rollcall(paths));
}

void CheckEarlyExit(const Outcome& outcome) {
  CHECK(outcome.status == 1);
  CHECK(Contains(outcome.output, "early_exit"));
  CHECK(Contains(outcome.output.substr(0, outcome.output.find('\n')), "rank 2"));
}

}  // namespace

TEST_CASE("without a victim's file the cause is the same, and the victim is said to be invisible") {
  const Folder folder;
  WriteJob(folder, 3);
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "rank 3 not visible here"));
}

TEST_CASE("without the cause's file nobody else is accused") {
  const Folder folder;
  WriteJob(folder, 2);
  const Outcome outcome = RunProgram(Rollcall({"analyze", "--json", "-", folder.path()}));
  CHECK(outcome.status == 1);
  CHECK(Contains(outcome.output, "rank 2 not visible here"));
  CHECK(Contains(outcome.output, "\"kind\":\"missing_rank\""));
  CHECK(Contains(outcome.output, "\"ranks\":[]"));
}

TEST_CASE("a file that was cut off is named with its rank and byte, the others are judged") {
  const Folder folder;
  WriteJob(folder);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{9000}, std::size_t{30001}}) {
    folder.Write(SyntheticRank::FileName(1), EarlyExitTrace(1).substr(0, bytes));
    const Outcome outcome = Analyze({folder.path()});
    CheckEarlyExit(outcome);
    CAPTURE(outcome.output);
    CHECK(Contains(outcome.output, "truncated file: ends at byte " + std::to_string(bytes)));
    CHECK(Contains(outcome.output, SyntheticRank::FileName(1)));
    // The rank is known from the definitions, if they are there.
    CHECK(Contains(outcome.output, bytes > 20480 ? "rank 1: truncated" : "rank 1 not visible"));
  }
}

TEST_CASE("files without a whole header are told, the others are judged") {
  const Folder folder;
  WriteJob(folder);
  folder.Write(SyntheticRank::FileName(1), "");
  CHECK(Contains(Analyze({folder.path()}).output, "empty file: "));
  folder.Write(SyntheticRank::FileName(1), EarlyExitTrace(1).substr(0, 1000));
  CHECK(Contains(Analyze({folder.path()}).output, "truncated file: ends at byte 1000"));
  std::string damaged = EarlyExitTrace(1);
  damaged[0] = '\x55';
  folder.Write(SyntheticRank::FileName(1), damaged);
  const Outcome outcome = Analyze({folder.path()});
  CHECK(Contains(outcome.output, "damaged file: the header, at byte 0, is damaged"));
  CheckEarlyExit(outcome);
}

TEST_CASE("a trace of another format version is told, the others are judged") {
  const Folder folder;
  WriteJob(folder);
  std::string other = EarlyExitTrace(1);
  other[5] = 9;
  folder.Write(SyntheticRank::FileName(1), other);
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "version file: format version 9, which is newer"));
  CHECK(Contains(outcome.output, SyntheticRank::FileName(1)));
}

TEST_CASE("foreign files are told by what they are") {
  const Folder folder;
  WriteJob(folder);
  folder.Write("a.rollcall", "Traceback (most recent call last):\n");
  folder.Write("b.rollcall", std::string("\x80\x02}q\x00", 5));
  folder.Write("c.rollcall", "\x7f\x45LF\x02\x01\x01");
  folder.Write("d.rollcall", std::string(70000, '\0'));
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "not a trace of rollcall, but text (a.rollcall)"));
  CHECK(Contains(outcome.output, "Python pickle (a dump of Flight Recorder?) (b.rollcall)"));
  CHECK(Contains(outcome.output, "program or library (ELF) (c.rollcall)"));
  CHECK(Contains(outcome.output, "zeros"));
  // What is not named like a trace is passed over in a folder, but not when it is given.
  const std::string log = folder.Write("train.log", "loss 0.1\n");
  CHECK_FALSE(Contains(Analyze({folder.path()}).output, "train.log"));
  CHECK(Contains(Analyze({folder.path(), log}).output, "but text (a.rollcall, train.log)"));
}

TEST_CASE("a record that no launcher wrote is told") {
  const Folder folder;
  WriteJob(folder);
  folder.Write("run.node.7.json", "{\"epoch\": 3}");
  folder.Write("run.node.8.json", "not JSON");
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "run.node.7.json: not a record of a launcher"));
  CHECK(Contains(outcome.output, "run.node.8.json: not a record of a launcher"));
}

TEST_CASE("an empty folder, and one of other things, cannot be analyzed") {
  const Folder folder;
  Outcome outcome = Analyze({folder.path()});
  CHECK(outcome.status == 2);
  CHECK(outcome.output.empty());
  CHECK(Contains(outcome.errors, "no file ends in .rollcall"));
  folder.Write("notes.txt", "hello");
  std::filesystem::create_directory(folder.path() + "/run1");
  outcome = Analyze({folder.path()});
  CHECK(outcome.status == 2);
  CHECK(Contains(outcome.errors, "1 other file is there"));
  CHECK(Contains(outcome.errors, "run1"));
}

TEST_CASE("a path that does not exist is told") {
  const Folder folder;
  Outcome outcome = Analyze({folder.path() + "/none"});
  CHECK(outcome.status == 2);
  CHECK(Contains(outcome.errors, "/none: no such file or folder"));
  WriteJob(folder);
  outcome = Analyze({folder.path(), folder.path() + "/none"});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "/none: no such file or folder"));
}

TEST_CASE("files that cannot be read are told, the others are judged") {
  const Folder folder;
  WriteJob(folder);
  REQUIRE(mkfifo((folder.path() + "/pipe.rollcall").c_str(), 0600) == 0);
  REQUIRE(symlink("loop.rollcall", (folder.path() + "/loop.rollcall").c_str()) == 0);
  REQUIRE(symlink("nowhere", (folder.path() + "/dangling.rollcall").c_str()) == 0);
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "unreadable file: not a regular file (pipe.rollcall)"));
  CHECK(Contains(outcome.output, "(loop.rollcall)"));
  CHECK(Contains(outcome.output, "(dangling.rollcall)"));
  const Outcome alone = Analyze({folder.path() + "/loop.rollcall"});
  CHECK(alone.status == 2);
}

TEST_CASE("a file without permission is told") {
  if (geteuid() == 0) return;  // root may read everything
  const Folder folder;
  WriteJob(folder);
  chmod((folder.path() + "/" + SyntheticRank::FileName(1)).c_str(), 0);
  const Outcome outcome = Analyze({folder.path()});
  CheckEarlyExit(outcome);
  CHECK(Contains(outcome.output, "Permission denied"));
}

TEST_CASE("when no file can be read, each says why") {
  const Folder folder;
  folder.Write("a.rollcall", "");
  folder.Write("b.rollcall", "text");
  const Outcome outcome = Analyze({folder.path()});
  CHECK(outcome.status == 2);
  CHECK(outcome.output.empty());
  CHECK(Contains(outcome.errors, "no readable trace in 2 files"));
  CHECK(Contains(outcome.errors, "a.rollcall: the file is empty"));
  CHECK(Contains(outcome.errors, "b.rollcall: not a trace of rollcall, but text"));
}

TEST_CASE("a file given twice, by its folder, or by a link is read once") {
  const Folder folder;
  WriteJob(folder);
  const std::string file = folder.path() + "/" + SyntheticRank::FileName(0);
  REQUIRE(symlink(SyntheticRank::FileName(1).c_str(), (folder.path() + "/link.rollcall").c_str()) ==
          0);
  const Outcome outcome =
      Analyze({folder.path(), file, file, folder.path() + "/." + "/" + SyntheticRank::FileName(3)});
  CheckEarlyExit(outcome);
  CHECK_FALSE(Contains(outcome.output, "duplicate_rank"));
  CHECK(Contains(outcome.output, "4 files were given more than once"));
}

TEST_CASE("a copy of a trace is no second process") {
  const Folder folder, elsewhere;
  WriteJob(folder);
  elsewhere.Write("copy.rollcall", EarlyExitTrace(0).substr(0, 30000));
  const Outcome outcome = Analyze({folder.path(), elsewhere.path()});
  CheckEarlyExit(outcome);
  CHECK_FALSE(Contains(outcome.output, "duplicate_rank"));
  CHECK(Contains(outcome.output, "copy.rollcall: a copy of the trace"));
}

}  // namespace rollcall::tests
