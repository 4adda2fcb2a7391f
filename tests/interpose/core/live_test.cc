// The raw file is valid protobuf at every instant while threads write it, and so are copies that
// are taken meanwhile.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

// Sanitizers make every look some times slower, and look for something else.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kMoments = 200;
#else
constexpr int kMoments = 1000;
#endif
constexpr int kMomentsPerChild = 100;

int WriteForEver(const std::string& folder, std::uint64_t bound) {
  OpenOptions options;
  options.bound = bound;
  OpenOrExit(folder, options);
  const std::uint32_t world = DefineWorld();
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id)
    threads.emplace_back([=] {
      for (std::uint64_t i = 0;; ++i) {
        // Now and then a new shape, at times one with cells, an event, an open row, a name.
        const Row row = EnterCall(Allreduce(world, 100 * id + i / 5000),
                                  i % 64 == 0 ? i * 4 + id : kNoPosition, 1);
        StartCall(row);
        if (i % 100 == 0) FailCall(row, 1, "0123456789abcdef", i / 100 % 16);
        if (i % 100 && i % 3000) CompleteCall(row);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  return 0;
}

// Stops the child, copies its file, and lets it go on.
std::string CopyStopped(pid_t child, const std::string& path) {
  kill(child, SIGSTOP);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  REQUIRE(WIFSTOPPED(status));
  std::string bytes = ReadWhole(path);
  kill(child, SIGCONT);
  return bytes;
}

bool AreRowsWhole(const TraceView& view) {
  for (const RowView& row : view.rows)
    if (row.entered == 0 || row.base == 0 || view.shapes.count(row.shape) != 1) return false;
  return true;
}

// A copy is not one instant: what was reused meanwhile may be damaged, in its own block alone.
struct Copies {
  std::size_t blocks = 0, refused = 0;

  void Add(const std::string& bytes) {
    rollcall::Trace trace;
    if (bytes.empty()) return;  // made, and nothing in it yet
    REQUIRE(bytes.size() >= kRollcallHeaderBytes);
    REQUIRE(trace.ParseFromArray(bytes.data(), kRollcallHeaderBytes));
    for (std::size_t at = kRollcallHeaderBytes; at < bytes.size(); at += kRollcallBlockBytes) {
      const std::size_t size = std::min<std::size_t>(kRollcallBlockBytes, bytes.size() - at);
      ++blocks;
      refused += !trace.ParseFromArray(bytes.data() + at, static_cast<int>(size));
    }
  }
};

}  // namespace

TEST_CASE("the file is valid at 1,000 moments while 4 threads write it", "[core]") {
  std::mt19937 random(1);
  Copies copies;
  for (int moment = 0; moment < kMoments; moment += kMomentsPerChild) {
    const TemporaryFolder folder;
    // Reuse of blocks at once, and growth.
    const std::uint64_t bound =
        (moment / kMomentsPerChild % 2 ? 2 : 1) * (std::uint64_t{320} << 10);
    const pid_t child = StartChild([&] { return WriteForEver(folder.path(), bound); });
    REQUIRE(WaitFor([&] { return !TracePath(folder.path()).empty(); }));
    const std::string path = TracePath(folder.path());
    for (int i = 0; i < kMomentsPerChild; ++i) {
      Nap(random() % (i < 20 ? 300 : 3000));  // the first moments have more to get wrong
      const TraceView stopped = ViewTrace(CopyStopped(child, path));
      REQUIRE(stopped.parsed);
      CHECK_FALSE(stopped.has_unknown_fields);
      CHECK(AreRowsWhole(stopped));
      copies.Add(ReadWhole(path, i % 2 ? 4096 : 1 << 20));
    }
    kill(child, SIGKILL);
    CHECK(WaitForChild(child) == 128 + SIGKILL);
  }
  CHECK(copies.blocks > 10 * kMoments);
  CHECK(copies.refused * 100 < copies.blocks);
}
