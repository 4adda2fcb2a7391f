// What happens to a row after it was entered: by its owner, by others, too late, and when its block
// is needed.
#include <signal.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "proto/raw_layout.h"
#include "proto/trace_fields.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

TraceView Record(const std::function<void()>& body, OpenOptions options = {}) {
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] {
            OpenOrExit(folder.path(), options);
            body();
            CloseTrace();
            return 0;
          }) == 0);
  TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
  REQUIRE(view.parsed);
  return view;
}

std::vector<rollcall::Event> EventsOf(const TraceView& view, rollcall::EventKind kind) {
  std::vector<rollcall::Event> found;
  for (const rollcall::Event& event : view.events)
    if (event.kind() == kind) found.push_back(event);
  return found;
}

}  // namespace

TEST_CASE("the three times of a call are in order", "[core]") {
  const TraceView view = Record([] {
    const CallArguments call = Allreduce(DefineWorld(), 4);
    for (int i = 0; i < 100; ++i)
      MakeCall(call);
    EnterCall(call, kNoPosition, 1);
    StartCall(EnterCall(call, kNoPosition, 1));
  });
  REQUIRE(view.rows.size() == 102);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(view.rows[i].entered <= view.rows[i].started);
    CHECK(view.rows[i].started <= view.rows[i].completed);
  }
  CHECK((view.rows[100].started == 0 && view.rows[100].completed == 0));
  CHECK((view.rows[101].started != 0 && view.rows[101].completed == 0));
}

TEST_CASE("a call that failed says so and why", "[core]") {
  const TraceView view = Record([] {
    const std::string text = std::string(300, 'x') + "\xff";
    FailCall(EnterCall(Allreduce(DefineWorld(), 4), kNoPosition, 1), -7, text.data(), text.size());
  });
  REQUIRE(view.rows.size() == 1);
  CHECK(view.rows[0].completed == ROLLCALL_ENDED_SEE_EVENT);
  const auto events = EventsOf(view, rollcall::EVENT_FAILED);
  REQUIRE(events.size() == 1);
  CHECK(events[0].row() == 1);
  CHECK(events[0].value() == -7);
  CHECK(events[0].data() == std::string(256, 'x'));
}

TEST_CASE("a call can be ended from outside, once, and only while it is pending", "[core]") {
  const TraceView view = Record([] {
    const CallArguments call = Allreduce(DefineWorld(), 4);
    const Row pending = EnterCall(call, kNoPosition, 1), done = EnterCall(call, kNoPosition, 1),
              unwatched = EnterCall(call, kNoPosition, 1);
    CompleteCall(done);
    UnwatchCall(unwatched);
    for (const Row& row : {pending, pending, done, unwatched})
      EndCallFromOutside(row, ROLLCALL_EVENT_ABORTED);
  });
  CHECK(view.rows[0].completed == ROLLCALL_ENDED_SEE_EVENT);
  CHECK(view.rows[1].completed < ROLLCALL_NOT_WATCHED);
  CHECK(view.rows[2].completed == ROLLCALL_NOT_WATCHED);
  const auto events = EventsOf(view, rollcall::EVENT_ABORTED);
  REQUIRE(events.size() == 1);
  CHECK(events[0].row() == 1);
}

TEST_CASE("a forked child that ends its parent's calls touches none of its own", "[core]") {
  const TemporaryFolder parent, child;
  OpenOptions options;
  options.helper = false;  // thread sanitizers know no threads in a child of threads
  REQUIRE(RunChild([&] {
            OpenOrExit(parent.path(), options);
            const CallArguments call = Allreduce(DefineWorld(), 4);
            const Row row = EnterCall(call, kNoPosition, 1);
            return RunChild([&] {
              if (IsRecording()) return 1;
              CompleteCall(row);
              OpenOrExit(child.path(), options);
              EnterCall(Allreduce(DefineWorld(), 4), kNoPosition, 1);
              CompleteCall(row);
              FailCall(row, 1, nullptr, 0);
              EndCallFromOutside(row, ROLLCALL_EVENT_ABORTED);
              return 0;
            });
          }) == 0);
  for (const std::string& folder : {parent.path(), child.path()}) {
    const TraceView view = ViewTrace(ReadWhole(TracePath(folder)));
    REQUIRE(view.parsed);
    REQUIRE(view.rows.size() == 1);
    CHECK(view.rows[0].completed == 0);
    CHECK(EventsOf(view, rollcall::EVENT_FAILED).empty());
  }
}

TEST_CASE("ends from outside never touch another call's row", "[core]") {
  // Rows of the recent past are ended by others while their blocks are being reused.
  OpenOptions options;
  options.bound = std::uint64_t{320} << 10;
  const TraceView view = Record(
      [] {
        const CallArguments call = Allreduce(DefineWorld(), 4);
        constexpr std::size_t kSlots = 4096;
        static std::atomic<std::uint64_t> slots[kSlots][2];
        std::atomic<bool> stop{false};
        std::thread other([&] {
          for (std::uint64_t i = 1; !stop; i = i * 6364136223846793005u + 1442695040888963407u) {
            auto& slot = slots[i >> 40 & (kSlots - 1)];
            const std::uint64_t place = slot[1].load();
            const Row row{slot[0].load(), static_cast<std::uint32_t>(place >> 32),
                          static_cast<std::uint32_t>(place)};
            if (place && slot[1].load() == place) EndCallFromOutside(row, ROLLCALL_EVENT_ABORTED);
          }
        });
        for (std::uint64_t i = 0; i < 300000; ++i) {
          const Row row = EnterCall(call, kNoPosition, 1);
          if (row.sequence == 0) continue;
          CompleteCall(row);
          auto& slot = slots[i % kSlots];
          slot[1].store(0);
          slot[0].store(row.sequence);
          slot[1].store(std::uint64_t{row.block} << 32 | row.row);
        }
        stop = true;
        other.join();
      },
      options);
  // Every row was completed before it was handed out, so none can have been ended from outside.
  std::uint64_t wrong = 0;
  for (const RowView& row : view.rows)
    wrong += row.completed >= ROLLCALL_NOT_WATCHED;
  CHECK(wrong == 0);
  CHECK(EventsOf(view, rollcall::EVENT_ABORTED).empty());
}

TEST_CASE("a call that is pending for ever is moved into events and can still complete", "[core]") {
  OpenOptions options;
  options.bound = std::uint64_t{512} << 10;
  constexpr std::uint64_t kCalls = 200000, kPendingEach = 2000;
  const TraceView view = Record(
      [] {
        const CallArguments call = Allreduce(DefineWorld(), 4);
        std::vector<Row> pending;
        for (std::uint64_t i = 0; i < kCalls; ++i) {
          const Row row = EnterCall(call, kNoPosition, 1);
          StartCall(row);
          if (i % kPendingEach == 0)
            pending.push_back(row);
          else if (i % 10 == 0)
            FailCall(row, 1, "a text that takes some room", 27);
          else
            CompleteCall(row);
        }
        CompleteCall(pending[0]);
        CompleteCall(pending[1]);
      },
      options);
  std::map<std::uint64_t, rollcall::Event> moved;
  for (const auto& event : EventsOf(view, rollcall::EVENT_MOVED_ROW))
    moved[event.row()] = event;
  std::map<std::uint64_t, bool> pending;  // by row, plus 1
  for (const RowView& row : view.rows)
    if (row.completed == 0) pending[row.number + 1] = true;
  for (const auto& [row, event] : moved) {
    pending[row] = true;
    REQUIRE(event.data().size() == 24);
    std::uint64_t data[3];
    std::memcpy(data, event.data().data(), sizeof data);
    CHECK(data[0] == 1);
    CHECK(data[1] != 0);
    CHECK(data[2] >= data[1]);
  }
  std::uint64_t missing = 0;
  for (std::uint64_t row = 2 * kPendingEach; row < kCalls; row += kPendingEach)
    missing += !pending.count(row + 1);
  CHECK(missing == 0);
  CHECK(moved.size() > 50);
  const auto late = EventsOf(view, rollcall::EVENT_LATE_COMPLETED);
  REQUIRE(late.size() == 2);
  CHECK(late[0].row() == 1);
  CHECK(late[1].row() == kPendingEach + 1);
  CHECK(late[0].value() > 0);
  CHECK(view.Totals().at(1).count == kCalls);
}
