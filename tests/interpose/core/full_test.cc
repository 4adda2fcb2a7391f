// Where there is no room, or no right to write: the job goes on, and what was recorded stays valid.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

constexpr std::uint64_t kCalls = 200000;

int MakeCalls(const std::string& folder, const OpenOptions& options) {
  OpenOrExit(folder, options);
  const CallArguments call = Allreduce(DefineWorld(), 4);
  for (std::uint64_t i = 0; i < kCalls; ++i)
    MakeCall(call);
  CloseTrace();
  return 0;
}

RollcallState StateOf(const TraceView& view) {
  RollcallState state;
  std::memcpy(&state, view.trace.header().state().data(), sizeof state);
  return state;
}

void CheckAllCalls(const std::string& folder, std::uint32_t error, std::uint64_t most_bytes) {
  const std::string bytes = ReadWhole(TracePath(folder));
  CHECK(bytes.size() <= most_bytes);
  const TraceView view = ViewTrace(bytes);
  REQUIRE(view.parsed);
  CHECK(view.Totals().at(1).count == kCalls);
  CHECK(StateOf(view).error == error);
  CHECK(StateOf(view).lost_rows == 0);
}

// A tmpfs of a given size; needs root.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(const std::string& folder, const char* size) : folder_(folder) {
    mounted_ = mount("none", folder.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallFileSystem() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_;
};

}  // namespace

TEST_CASE("a full file system is a ring of what there is", "[core]") {
  const TemporaryFolder folder;
  const SmallFileSystem disk(folder.path(), "size=1m");
  if (!disk.mounted()) {
    WARN("SKIPPED: mounting a small tmpfs needs root");
    return;
  }
  OpenOptions options;
  options.bound = std::uint64_t{16} << 20;
  REQUIRE(RunChild([&] { return MakeCalls(folder.path(), options); }) == 0);
  CheckAllCalls(folder.path(), ENOSPC, 1 << 20);
}

TEST_CASE("a file system that is full from the start leaves nothing behind", "[core]") {
  const TemporaryFolder folder;
  const SmallFileSystem disk(folder.path(), "size=64k");
  if (!disk.mounted()) {
    WARN("SKIPPED: mounting a small tmpfs needs root");
    return;
  }
  CHECK(RunChild([&] {
          OpenOptions options;
          options.folder = folder.path().c_str();
          const int error = OpenRecorder(options);
          const Row row = EnterCall(Allreduce(0, 4), kNoPosition, 1);
          CompleteCall(row);
          return error == ENOSPC && row.sequence == 0 && !IsRecording() && !EnsureRecording() ? 0
                                                                                              : 1;
        }) == 0);
  CHECK(TracePath(folder.path()).empty());
}

TEST_CASE("a limit on the size of files is kept, without a signal", "[core]") {
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] {
            rlimit limit = {};
            limit.rlim_cur = limit.rlim_max = 700 << 10;
            setrlimit(RLIMIT_FSIZE, &limit);
            return MakeCalls(folder.path(), {});
          }) == 0);
  CheckAllCalls(folder.path(), 0, 700 << 10);
}

TEST_CASE("a limit that comes later is kept too", "[core]") {
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] {
            OpenOrExit(folder.path());
            rlimit limit = {};
            limit.rlim_cur = limit.rlim_max = 1 << 20;
            setrlimit(RLIMIT_FSIZE, &limit);
            const CallArguments call = Allreduce(DefineWorld(), 4);
            for (std::uint64_t i = 0; i < kCalls; ++i)
              MakeCall(call);
            CloseTrace();
            return 0;
          }) == 0);
  CheckAllCalls(folder.path(), EFBIG, 2 << 20);
}

#ifndef __SANITIZE_THREAD__  // it calls a descriptor that is closed and made again a race
TEST_CASE("a guest that closes all descriptors finds none of its files written to", "[core]") {
  const TemporaryFolder folder;
  const std::string other = folder.path() + "/other";
  REQUIRE(RunChild([&] {
            OpenOrExit(folder.path());
            for (int i = 3; i < 1024; ++i)
              close(i);
            // Every number is the guest's file now.
            const int file = ::creat(other.c_str(), 0600);
            for (int i = 0; i < 900; ++i)
              if (dup(file) < 0) break;
            const CallArguments call = Allreduce(DefineWorld(), 4);
            for (std::uint64_t i = 0; i < kCalls; ++i)
              MakeCall(call);
            CloseTrace();
            return 0;
          }) == 0);
  CHECK(std::filesystem::file_size(other) == 0);
  const TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
  REQUIRE(view.parsed);
  CHECK(view.Totals().at(1).count == kCalls);
}
#endif

TEST_CASE("a folder that cannot be written to switches recording off, in one line", "[core]") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/file", messages = folder.path() + "/messages";
  std::ofstream(file) << "no folder";
  CHECK(RunChild([&] {
          setenv("ROLLCALL_DIR", (file + "/traces").c_str(), 1);
          const int to = ::creat(messages.c_str(), 0600);
          dup2(to, STDERR_FILENO);
          errno = 1234;
          const bool recording = EnsureRecording() || EnsureRecording();
          return recording || errno != 1234 || DefineWorld() != 0 ? 1 : 0;
        }) == 0);
  const std::string text = ReadWhole(messages);
  CHECK(text.find("rollcall: ") == 0);
  CHECK(text.find("the job goes on, not recorded\n") == text.size() - 30);
}

TEST_CASE("a default folder that is a link or another's is refused", "[core]") {
  const TemporaryFolder folder;
  const std::string expected = folder.path() + "/rollcall-" + std::to_string(geteuid());
  const auto open_by_default = [&] {
    return RunChild([&] {
      setenv("TMPDIR", folder.path().c_str(), 1);
      setenv("ROLLCALL_QUIET", "1", 1);
      for (const char* name : {"ROLLCALL_DIR", "SLURM_JOB_ID", "MASTER_ADDR"})
        unsetenv(name);
      setenv("TORCHELASTIC_RUN_ID", "../job/1", 1);
      return EnsureRecording() ? 0 : 1;
    });
  };
  std::filesystem::create_directory(folder.path() + "/elsewhere");
  std::filesystem::create_symlink(folder.path() + "/elsewhere", expected);
  CHECK(open_by_default() == 1);
  std::filesystem::remove(expected);
  REQUIRE(mkdir(expected.c_str(), 0777) == 0);
  REQUIRE(chmod(expected.c_str(), 0777) == 0);
  CHECK(open_by_default() == 1);
  std::filesystem::remove(expected);
  CHECK(open_by_default() == 0);
  CHECK_FALSE(TracePath(expected + "/_._job_1").empty());
  struct stat info;
  REQUIRE(stat(TracePath(expected + "/_._job_1").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("recording can be switched off", "[core]") {
  const TemporaryFolder folder;
  CHECK(RunChild([&] {
          setenv("ROLLCALL_DIR", folder.path().c_str(), 1);
          setenv("ROLLCALL_DISABLE", "1", 1);
          return EnsureRecording() ? 1 : 0;
        }) == 0);
  CHECK(TracePath(folder.path()).empty());
}

TEST_CASE("a recording that stops says so and leaves a valid file", "[core]") {
  const TemporaryFolder folder;
  CHECK(RunChild([&] {
          OpenOrExit(folder.path());
          setenv("ROLLCALL_QUIET", "1", 1);
          const CallArguments call = Allreduce(DefineWorld(), 4);
          MakeCall(call);
          StopRecording("no reason", 5);
          const Row row = EnterCall(call, kNoPosition, 1);
          return row.sequence == 0 && !EnsureRecording() ? 0 : 1;
        }) == 0);
  const TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
  REQUIRE(view.parsed);
  CHECK(view.rows.size() == 1);
  REQUIRE(view.events.size() >= 1);
  CHECK(view.events[0].kind() == rollcall::EVENT_RECORDING);
  CHECK(view.events[0].data() == "no reason");
  CHECK(StateOf(view).phase == kRollcallPhaseStopped);
}
