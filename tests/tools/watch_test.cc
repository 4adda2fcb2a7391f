// What `rollcall run` sees of a running job: progress from raw traces, members from /proc.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>

#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/tools/program.h"
#include "tools/rollcall/run/hang_watch.h"
#include "tools/rollcall/run/members.h"
#include "tools/rollcall/run/trace_progress.h"

namespace rollcall::tests {
namespace {

constexpr std::int64_t kSecond = 1000000000;
constexpr std::uint64_t kBase = 1000 * kSecond;

struct RowStamps {
  std::uint32_t entered, completed;  // ns after kBase, >> 10, plus 1; completed 0 = pending
};

// A trace of this very process with one block of these rows.
std::string WriteTrace(const std::string& folder, const std::vector<RowStamps>& rows,
                       pid_t pid = getpid()) {
  std::string bytes(kRollcallHeaderBytes + kRollcallBlockBytes, '\0');
  const auto store = [&](int at, const auto value) {
    std::memcpy(bytes.data() + kRollcallHeaderBytes + at, &value, sizeof value);
  };
  store(0, static_cast<unsigned char>(3 << 3 | 2));
  store(kRollcallSequenceAt, std::uint64_t{1});
  store(kRollcallSequenceCheckAt, std::uint64_t{1});
  store(kRollcallBaseAt, kBase);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int at = static_cast<int>(4 * i);
    store(kRollcallShapeAt + at, std::uint32_t{1});
    store(kRollcallEnteredAt + at, rows[i].entered);
    store(kRollcallCompletedAt + at, rows[i].completed);
  }
  utsname node = {};
  uname(&node);
  const std::string path = folder + "/" + node.nodename + "." + std::to_string(pid) + "." +
                           std::to_string(tools::StartTicks(pid)) + ".rollcall";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

constexpr std::uint32_t Stamp(double seconds) {
  return static_cast<std::uint32_t>(seconds * kSecond / 1024) + 1;
}
std::int64_t Seconds(std::int64_t ns) {
  return (ns - static_cast<std::int64_t>(kBase) + kSecond / 2) / kSecond;
}

}  // namespace

TEST_CASE("a call that waits while nobody moves is a hang, and not before its time") {
  const tools::Progress progress = {100 * kSecond, 90 * kSecond};
  CHECK_FALSE(tools::Hangs(progress, 159 * kSecond, 60));  // the last rank moved 59 s ago
  CHECK(tools::Hangs(progress, 160 * kSecond, 60));
}

TEST_CASE("a job whose ranks wait for nobody does not hang however long it computes") {
  CHECK_FALSE(tools::Hangs({100 * kSecond, 0}, 10000 * kSecond, 60));
}

TEST_CASE("a limit of 0 calls nothing a hang") {
  CHECK_FALSE(tools::Hangs({100 * kSecond, 90 * kSecond}, 10000 * kSecond, 0));
}

TEST_CASE("the newest stamp and the oldest pending call are read from the blocks") {
  const TemporaryFolder folder;
  WriteTrace(folder.path(),
             {{Stamp(1), Stamp(2)}, {Stamp(3), 0}, {Stamp(4), Stamp(7)}, {Stamp(6), 0}});
  const tools::Progress progress = tools::TraceProgress(folder.path()).Look();
  CHECK(Seconds(progress.newest_stamp_ns) == 7);
  CHECK(Seconds(progress.oldest_pending_ns) == 3);
}

TEST_CASE("ends without a time are no pending calls and no stamps") {
  const TemporaryFolder folder;
  WriteTrace(folder.path(),
             {{Stamp(1), ROLLCALL_ENDED_SEE_EVENT}, {Stamp(2), ROLLCALL_NOT_WATCHED}});
  const tools::Progress progress = tools::TraceProgress(folder.path()).Look();
  CHECK(Seconds(progress.newest_stamp_ns) == 2);
  CHECK(progress.oldest_pending_ns == 0);
}

TEST_CASE("a call that is pending in a process that is gone is no hang") {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const TemporaryFolder folder;
  WriteTrace(folder.path(), {{Stamp(3), 0}}, child);
  tools::TraceProgress traces(folder.path());
  CHECK(traces.Look().oldest_pending_ns != 0);
  CHECK(traces.Alive() == std::vector<pid_t>{child});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(traces.Look().oldest_pending_ns == 0);
  CHECK(traces.Alive().empty());
  CHECK(traces.AnyTrace());
}

TEST_CASE("a request for snapshots raises the counter and returns when it is answered") {
  const TemporaryFolder folder;
  const std::string path = WriteTrace(folder.path(), {{Stamp(3), 0}});
  const int file = open(path.c_str(), O_RDWR);
  auto* header = static_cast<char*>(
      mmap(nullptr, kRollcallHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  close(file);
  REQUIRE(header != MAP_FAILED);
  auto* state = reinterpret_cast<volatile RollcallState*>(header + kRollcallStateAt);
  tools::TraceProgress traces(folder.path());
  traces.Look();
  std::thread recorder([state] {
    while (state->snapshot_request == 0)
      std::this_thread::yield();
    state->snapshot_done = 1;
  });
  traces.RequestSnapshots(50);
  recorder.join();
  CHECK(state->snapshot_request == 1);
  munmap(header, kRollcallHeaderBytes);
}

TEST_CASE("a process that has Gloo but not the recorder is not interposed") {
  const TemporaryFolder folder;
  const std::string library = folder.path() + "/libgloo.so.0";
  std::ofstream(library) << "any contents";
  const pid_t child = fork();
  if (child == 0) {
    mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, open(library.c_str(), O_RDONLY), 0);
    pause();
    _exit(0);
  }
  tools::Members members(child);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (members.FindNotInterposed(true).empty() && std::chrono::steady_clock::now() < until)
    members.Scan();
  REQUIRE(members.FindNotInterposed(true).size() == 1);
  CHECK(members.FindNotInterposed(true)[0].pid == child);
  CHECK(members.Alive() == std::vector<pid_t>{child});

  kill(child, SIGKILL);
  while (members.Records()[0].signal == 0 && std::chrono::steady_clock::now() < until)
    members.Scan();
  CHECK(members.Records()[0].signal == SIGKILL);
  CHECK(members.Records()[0].exit_status == 128 + SIGKILL);
  CHECK(members.Alive().empty());
  waitpid(child, nullptr, 0);
}

TEST_CASE("processes that end while they are looked at do no harm") {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) {
      const pid_t short_lived = fork();
      if (short_lived == 0) _exit(0);
      waitpid(short_lived, nullptr, 0);
    }
  }
  tools::Members members(child);
  for (int i = 0; i < 100; ++i)
    members.Scan();
  CHECK_FALSE(members.Alive().empty());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("an orphan stays a member of its job") {
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) pause();
    pause();
    _exit(0);
  }
  tools::Members members(child);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (members.Alive().size() < 2 && std::chrono::steady_clock::now() < until)
    members.Scan();
  REQUIRE(members.Alive().size() == 2);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  members.Scan();
  REQUIRE(members.Alive().size() == 1);
  kill(members.Alive()[0], SIGKILL);
}

}  // namespace rollcall::tests
