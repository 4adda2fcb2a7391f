// A bounded file goes on for ever: rows are reused, fingerprints and checkpoints cover those that
// are gone. Everything is compared with a plain reference.
#include <atomic>
#include <random>

#include "proto/fingerprint.h"
#include "proto/raw_layout.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

constexpr std::uint64_t kCalls = 600'000;

// The calls of the test, so that the reference makes them again: three communicators, some sizes.
std::uint32_t CommunicatorOf(std::uint64_t call) {
  return 1 + call * 7 % 11 % 3;
}
std::uint64_t CountOf(std::uint64_t call) {
  return 1000 + call * 31 % 17 % 5;
}

std::uint64_t ElementOf(std::uint64_t call) {
  RollcallFingerprintTuple tuple = {};
  tuple.operation = ROLLCALL_OPERATION_ALLREDUCE;
  tuple.datatype = ROLLCALL_DATATYPE_F32;
  tuple.redop = ROLLCALL_REDUCE_OPERATION_SUM;
  tuple.element_bytes = 4;
  tuple.count = CountOf(call);
  tuple.root = -1;
  return RollcallFingerprintOf(&tuple);
}

int MakeCalls(const std::string& folder, const OpenOptions& options) {
  OpenOrExit(folder, options);
  for (std::uint64_t digest = 1; digest <= 3; ++digest)
    DefineWorld(4, digest);
  for (std::uint64_t i = 0; i < kCalls; ++i)
    MakeCall(Allreduce(CommunicatorOf(i), CountOf(i)));
  CloseTrace();
  return 0;
}

}  // namespace

TEST_CASE("a file at its bound keeps the last rows and covers all others", "[core]") {
  OpenOptions options;
  options.bound = GENERATE(std::uint64_t{1} << 20, std::uint64_t{16} << 20);
  options.helper = GENERATE(true, false);
  // With ends of blocks after 20 ms, rows are skipped too.
  options.last_entered = GENERATE(0u, 20000u);
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] { return MakeCalls(folder.path(), options); }) == 0);
  const std::string bytes = ReadWhole(TracePath(folder.path()));
  CHECK(bytes.size() <= options.bound);
  const TraceView view = ViewTrace(bytes);
  REQUIRE(view.parsed);
  CHECK(view.discarded == 0);

  std::map<std::uint32_t, LaneTotal> expected;
  std::map<std::uint32_t, std::uint32_t> lane_of;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> checkpoints;
  for (const auto& [id, shape] : view.shapes)
    lane_of[shape.communicator()] = shape.lane();
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    const std::uint32_t lane = lane_of[CommunicatorOf(i)];
    LaneTotal& total = expected[lane];
    total.hash = RollcallFingerprintAppend(total.hash, ElementOf(i));
    if (++total.count % kRollcallCheckpointInterval == 0)
      checkpoints[{lane, total.count}] = total.hash;
  }
  const auto totals = view.Totals();
  REQUIRE(totals.size() == 3);
  for (const auto& [lane, total] : expected) {
    CHECK(totals.at(lane).count == total.count);
    CHECK(totals.at(lane).hash == total.hash);
    CHECK_FALSE(totals.at(lane).ended);
  }
  CHECK(view.checkpoints.size() > 500);
  std::uint64_t wrong = 0;
  for (const auto& [place, hash] : view.checkpoints)
    wrong += checkpoints.at(place) != hash;
  CHECK(wrong == 0);

  // The rows that are left are the last ones.
  REQUIRE(!view.rows.empty());
  std::uint64_t previous = view.rows.front().number, gaps = 0, open = 0;
  for (const RowView& row : view.rows) {
    gaps += row.number > previous + 1;
    open += row.completed == 0;
    previous = row.number;
  }
  CHECK(open == 0);
  if (options.last_entered == 0) CHECK(gaps == 0);
  if (options.last_entered == 0) CHECK(previous == kCalls - 1);
}

TEST_CASE("the step of checkpoints doubles when there are too many", "[core]") {
  constexpr std::uint64_t kMany = 4'500'000;  // 4,096 checkpoints of 1,024 calls are 4.2 million
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] {
            OpenOptions options;
            options.bound = std::uint64_t{4} << 20;
            OpenOrExit(folder.path(), options);
            const CallArguments call = Allreduce(DefineWorld(), 1);
            for (std::uint64_t i = 0; i < kMany; ++i)
              MakeCall(call);
            CloseTrace();
            return 0;
          }) == 0);
  const TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
  REQUIRE(view.parsed);
  const std::uint64_t element = view.shapes.at(1).fingerprint();
  std::uint64_t hash = 0, found = 0;
  for (std::uint64_t i = 1; i <= kMany; ++i) {
    hash = RollcallFingerprintAppend(hash, element);
    const auto checkpoint = view.checkpoints.find({1, i});
    if (checkpoint == view.checkpoints.end()) continue;
    found += checkpoint->second == hash && i % (2 * kRollcallCheckpointInterval) == 0;
  }
  CHECK(found == kMany / (2 * kRollcallCheckpointInterval));
  CHECK(view.checkpoints.size() == found);
  CHECK(view.Totals().at(1).hash == hash);
}
