// Programs that never repeat themselves: memory and file stop growing, the trace says that
// something was left out, and every call is still in it.
#include <cstring>
#include <fstream>
#include <string>

#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

// Sanitizers shadow what is touched.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsItsOwn = false;
#else
constexpr bool kMemoryIsItsOwn = true;
#endif

// Anonymous memory of this process in KiB: the mapped file is not part of it.
std::uint64_t OwnMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

struct Bounded {
  TraceView view;
  RollcallState state;
  std::uint64_t file_bytes;
  std::uint64_t calls;  // of all shapes
};

// Makes `calls` calls by `make(i)`. Its memory may grow by `most_kib` over the second half.
template <class Make>
Bounded Record(std::uint64_t calls, std::uint64_t most_kib, Make make) {
  const TemporaryFolder folder;
  auto* const grown = SharedMemory<std::uint64_t>();
  REQUIRE(RunChild([&] {
            OpenOptions options;
            options.bound = std::uint64_t{16} << 20;
            OpenOrExit(folder.path(), options);
            std::uint64_t before = 0;
            for (std::uint64_t i = 0; i < calls; ++i) {
              if (i == calls / 2) before = OwnMemory();
              make(i);
            }
            const std::uint64_t after = OwnMemory();
            *grown = after > before ? after - before : 0;
            CloseTrace();
            return before == 0 ? 1 : 0;
          }) == 0);
  if (kMemoryIsItsOwn) CHECK(*grown <= most_kib);
  const std::string bytes = ReadWhole(TracePath(folder.path()));
  Bounded result{ViewTrace(bytes), {}, bytes.size(), 0};
  REQUIRE(result.view.parsed);
  const std::string& state = result.view.trace.header().state();
  REQUIRE(state.size() >= sizeof result.state);
  std::memcpy(&result.state, state.data(), sizeof result.state);
  CHECK(result.file_bytes <= std::uint64_t{16} << 20);
  CHECK(result.state.lost_rows == 0);
  REQUIRE_FALSE(result.view.rows.empty());
  result.calls = result.view.rows.back().number + 1;  // rows are numbered as they are claimed
  return result;
}

void NewSites(std::uint64_t calls) {
  std::uint32_t world = 0;
  const Bounded recorded = Record(calls, 1024, [&](std::uint64_t i) {
    if (world == 0) world = DefineWorld();
    CallArguments call = Allreduce(world, 4);
    call.python_stack = static_cast<std::uint32_t>(1 + i);
    MakeCall(call);
  });
  CHECK(recorded.calls == calls);
  CHECK(recorded.view.Totals().at(1).count == calls);
  CHECK_FALSE(recorded.view.Totals().at(1).ended);
  CHECK(recorded.state.lost_definitions > 0);
  const rollcall::CallShape& last = recorded.view.shapes.at(recorded.view.rows.back().shape);
  CHECK(last.operation() == rollcall::OPERATION_ALLREDUCE);
  CHECK(last.communicator() == 1);
  CHECK(last.python_stack() == 0);
}

void NewCounts(std::uint64_t calls) {
  std::uint32_t world = 0;
  const Bounded recorded = Record(calls, 256, [&](std::uint64_t i) {
    if (world == 0) world = DefineWorld();
    MakeCall(Allreduce(world, 1 + i));
  });
  CHECK(recorded.calls == calls);
  CHECK(recorded.view.Totals().at(1).count == calls);
  CHECK(recorded.view.shapes.size() == 65);
  CHECK(recorded.state.lost_definitions == 0);
  const RowView& last = recorded.view.rows.back();
  CHECK(recorded.view.cells.at(last.number).at(rollcall::CELL_COUNT).first == calls);
}

// Every call on a communicator of its own.
void NewCommunicators(std::uint64_t calls, std::uint64_t most_kib) {
  const Bounded recorded = Record(
      calls, most_kib, [&](std::uint64_t i) { MakeCall(Allreduce(DefineWorld(4, 1 + i), 4)); });
  CHECK(recorded.calls == calls);
  CHECK(recorded.state.lost_definitions > 0);
  const rollcall::CallShape& last = recorded.view.shapes.at(recorded.view.rows.back().shape);
  CHECK(last.operation() == rollcall::OPERATION_ALLREDUCE);
}

}  // namespace

TEST_CASE("calls from ever new places stay within the bounds", "[core]") {
  NewSites(150000);
}

TEST_CASE("calls of ever new sizes stay within the bounds", "[core]") {
  NewCounts(400000);
}

TEST_CASE("10,000 communicators stay within the bounds", "[core]") {
  NewCommunicators(10000, 16 << 10);
}

TEST_CASE("more communicators than there is room for are told", "[core]") {
  NewCommunicators(40000, 16 << 10);
}

TEST_CASE("calls from 1,000,000 places stay within the bounds", "[.full]") {
  NewSites(1000000);
}

TEST_CASE("10,000,000 calls of different sizes stay within the bounds", "[.full]") {
  NewCounts(10000000);
}
