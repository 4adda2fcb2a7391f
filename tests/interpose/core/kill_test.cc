// SIGKILL loses nothing that was entered: a witness in other memory counts every call after
// EnterCall returned and before the real call would begin.
#include <signal.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

constexpr unsigned kThreads = 4;

struct Witness {
  struct alignas(64) PerThread {
    std::atomic<std::uint64_t> calls;
  } threads[kThreads];
};

int WriteForEver(const std::string& folder, const OpenOptions& options, Witness& witness) {
  OpenOrExit(folder, options);
  const std::uint32_t world = DefineWorld();
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < kThreads; ++id)
    threads.emplace_back([&, id] {
      for (std::uint64_t i = 0;; ++i) {
        const Row row = EnterCall(Allreduce(world, 1000 + (id + i) % 8), kNoPosition, 1);
        if (row.sequence == 0) _exit(8);
        witness.threads[id].calls.fetch_add(1, std::memory_order_relaxed);
        StartCall(row);
        CompleteCall(row);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  return 0;
}

}  // namespace

TEST_CASE("no call that was entered is lost by SIGKILL", "[core]") {
  std::mt19937 random(3);
  OpenOptions options;
  options.bound = GENERATE(std::uint64_t{4} << 20, std::uint64_t{64} << 20);
  options.write_through = GENERATE(false, true);
  for (int round = 0; round < 10; ++round) {
    const TemporaryFolder folder;
    auto* const witness = SharedMemory<Witness>();
    const pid_t child = StartChild([&] { return WriteForEver(folder.path(), options, *witness); });
    Nap(2000 + random() % (round % 4 == 0 ? 3000 : 100000));
    kill(child, SIGKILL);
    REQUIRE(WaitForChild(child) == 128 + SIGKILL);
    std::uint64_t seen = 0;
    for (const auto& thread : witness->threads)
      seen += thread.calls.load();
    const TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
    REQUIRE(view.parsed);
    std::uint64_t held = 0;
    for (const auto& [lane, total] : view.Totals()) {
      CHECK_FALSE(total.ended);
      held += total.count;
    }
    CHECK(held >= seen);
    CHECK(held <= seen + kThreads);
  }
}
