// What a row says beyond its number: shapes, cells where shapes would be too many, positions.
#include <cstring>
#include <thread>

#include "proto/fingerprint.h"
#include "proto/raw_layout.h"
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
  CHECK_FALSE(view.has_unknown_fields);
  return view;
}

}  // namespace

TEST_CASE("every field of a call is in its shape", "[core]") {
  const TraceView view = Record([] {
    CallArguments call{};
    call.operation = ROLLCALL_OPERATION_ALLTOALL;
    call.datatype = ROLLCALL_DATATYPE_BF16;
    call.element_bytes = 2;
    call.communicator = DefineWorld();
    call.count = 12;
    call.flags = ROLLCALL_FLAG_ASYNC;
    call.tensors = 3;
    call.timeout_ms = -1;
    call.root = 0;
    call.tag = 0;
    call.redop_function = 77;
    call.dimension_count = 2;
    call.dimensions[0] = 3;
    call.dimensions[1] = 4;
    call.input_split_count = call.output_split_count = 2;
    call.input_splits[0] = 5;
    call.output_splits[1] = 300;
    call.library_name = "alltoall_base";
    MakeCall(call);
  });
  REQUIRE(view.shapes.size() == 1);
  const rollcall::CallShape& shape = view.shapes.at(1);
  CHECK(shape.operation() == rollcall::OPERATION_ALLTOALL);
  CHECK(shape.datatype() == rollcall::DATATYPE_BF16);
  CHECK(shape.element_bytes() == 2);
  CHECK(shape.count() == 12);
  CHECK(shape.flags() == rollcall::FLAG_ASYNC);
  CHECK(shape.tensors() == 3);
  CHECK(shape.timeout_ms() == -1);
  CHECK((shape.has_root() && shape.root() == 0));
  CHECK((shape.has_tag() && shape.tag() == 0));
  CHECK_FALSE(shape.has_peer());
  CHECK(shape.redop_function() == 77);
  CHECK(std::vector<std::int64_t>(shape.dimensions().begin(), shape.dimensions().end()) ==
        std::vector<std::int64_t>{3, 4});
  CHECK(std::vector<std::uint64_t>(shape.input_splits().begin(), shape.input_splits().end()) ==
        std::vector<std::uint64_t>{5, 0});
  CHECK(std::vector<std::uint64_t>(shape.output_splits().begin(), shape.output_splits().end()) ==
        std::vector<std::uint64_t>{0, 300});
  CHECK(shape.library_name() == "alltoall_base");
  CHECK(shape.thread() == 1);
  CHECK(shape.lane() == 1);
}

TEST_CASE("a call whose size is new every time adds no shapes", "[core]") {
  constexpr std::uint64_t kCalls = 20000;
  const TraceView view = Record([] {
    const std::uint32_t world = DefineWorld();
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      CallArguments call = Allreduce(world, 10 + i);
      call.dimension_count = 1;
      call.dimensions[0] = static_cast<std::int64_t>(10 + i);
      MakeCall(call);
    }
  });
  CHECK(view.shapes.size() == 65);
  std::uint64_t hash = 0, wrong = 0;
  for (const RowView& row : view.rows) {
    const rollcall::CallShape& shape = view.shapes.at(row.shape);
    std::uint64_t count = shape.count();
    if (shape.variable() & rollcall::VARIABLE_COUNT)
      count = view.cells.at(row.number).at(rollcall::CELL_COUNT).first;
    wrong += count != 10 + row.number;
    RollcallFingerprintTuple tuple = {};
    tuple.operation = ROLLCALL_OPERATION_ALLREDUCE;
    tuple.datatype = ROLLCALL_DATATYPE_F32;
    tuple.redop = ROLLCALL_REDUCE_OPERATION_SUM;
    tuple.element_bytes = 4;
    tuple.count = count;
    tuple.root = -1;
    hash = RollcallFingerprintAppend(hash, RollcallFingerprintOf(&tuple));
  }
  CHECK(wrong == 0);
  CHECK(view.Totals().at(1).count == kCalls);
  CHECK(view.Totals().at(1).hash == hash);
}

TEST_CASE("peers and tags that keep changing stand in cells, and lanes stay apart", "[core]") {
  constexpr std::uint64_t kCalls = 2000;
  const TraceView view = Record([] {
    CallArguments call = Allreduce(DefineWorld(300), 4);
    call.operation = ROLLCALL_OPERATION_SEND;
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      call.peer = static_cast<std::int32_t>(i % 200);
      call.tag = static_cast<std::int64_t>(i);
      MakeCall(call);
    }
  });
  CHECK(view.shapes.size() == 65);
  std::uint64_t wrong = 0;
  for (const RowView& row : view.rows) {
    if (row.number < 64) continue;
    const auto& cells = view.cells.at(row.number);
    wrong += cells.at(rollcall::CELL_PEER).first != row.number % 200;
    wrong += cells.at(rollcall::CELL_TAG).first != row.number;
    wrong += cells.count(rollcall::CELL_COUNT);
  }
  CHECK(wrong == 0);
  CHECK(view.progress.size() == 200);
  for (const auto& [lane, record] : view.progress)
    CHECK(record.count() == kCalls / 200);
}

TEST_CASE("splits that keep changing are known by their digest", "[core]") {
  const TraceView view = Record([] {
    CallArguments call = Allreduce(DefineWorld(), 4);
    call.operation = ROLLCALL_OPERATION_ALLTOALL;
    call.input_split_count = call.output_split_count = 4;
    for (std::uint64_t i = 0; i < 200; ++i) {
      call.splits_digest = 1000 + i;
      call.input_splits[0] = i;
      MakeCall(call);
    }
  });
  CHECK(view.shapes.size() == 65);
  CHECK(view.cells.at(150).at(rollcall::CELL_SPLITS).first == 1150);
}

TEST_CASE("one name at two addresses makes one shape", "[core]") {
  const TraceView view = Record([] {
    static const char first[] = "allreduce", second[] = "allreduce";
    CallArguments call = Allreduce(DefineWorld(), 4);
    for (int i = 0; i < 10; ++i) {
      call.library_name = i % 2 ? first : second;
      MakeCall(call);
    }
  });
  CHECK(view.shapes.size() == 1);
  CHECK(view.Totals().at(1).count == 10);
}

TEST_CASE("a position is written where it does not follow from the row before", "[core]") {
  const TraceView view = Record([] {
    const CallArguments call = Allreduce(DefineWorld(), 4);
    const auto enter = [&](std::uint64_t position, std::uint32_t tags) {
      CompleteCall(EnterCall(call, position, tags));
    };
    enter(0, 1);  // the first
    enter(1, 1);
    enter(2, 3);  // takes three
    enter(5, 1);
    enter(9, 1);  // somebody took some
    std::thread([&] { CompleteCall(EnterCall(call, 10, 1)); }).join();
    enter(11, 1);  // behind another thread's
    enter(12, 1);
    enter(kNoPosition, 1);
  });
  const auto position = [&](std::uint64_t row) -> std::int64_t {
    const auto cells = view.cells.find(row);
    if (cells == view.cells.end() || !cells->second.count(rollcall::CELL_POSITION)) return -1;
    return static_cast<std::int64_t>(cells->second.at(rollcall::CELL_POSITION).first);
  };
  const std::int64_t expected[] = {0, -1, 2, -1, 9, 10, 11, -1, -1};
  for (std::uint64_t row = 0; row < 9; ++row) {
    INFO(row);
    CHECK(position(row) == expected[row]);
  }
  CHECK(view.cells.at(2).at(rollcall::CELL_POSITION).second == 3);
}

TEST_CASE("positions are said anew in every block", "[core]") {
  const TraceView view = Record([] {
    const CallArguments call = Allreduce(DefineWorld(), 4);
    for (std::uint64_t i = 0; i < 3000; ++i)
      MakeCall(call, i);
  });
  CHECK(view.cells.size() == 3);
  CHECK(view.cells.at(2040).at(rollcall::CELL_POSITION).first == 2040);
}

TEST_CASE("when definitions are full calls are still recorded, with less said", "[core]") {
  constexpr std::uint64_t kCalls = 60000;
  OpenOptions options;
  options.bound = std::uint64_t{1} << 20;
  const TraceView view = Record(
      [] {
        const std::uint32_t world = DefineWorld();
        for (std::uint64_t i = 0; i < kCalls; ++i) {
          CallArguments call = Allreduce(world, 4);
          call.native_stack = static_cast<std::uint32_t>(1 + i);  // a new site each time
          MakeCall(call);
        }
      },
      options);
  CHECK(view.Totals().at(1).count == kCalls);
  const rollcall::CallShape& last = view.shapes.at(view.rows.back().shape);
  CHECK(last.operation() == rollcall::OPERATION_ALLREDUCE);
  CHECK(last.native_stack() == 0);
  CHECK(view.cells.at(view.rows.back().number).at(rollcall::CELL_COUNT).first == 4);
  RollcallState state;
  std::memcpy(&state, view.trace.header().state().data(), sizeof state);
  CHECK(state.lost_definitions > 0);
  CHECK(state.lost_rows == 0);
}

TEST_CASE("rendezvous and construction are in no lane", "[core]") {
  const TraceView view = Record([] {
    CallArguments call{};
    call.operation = ROLLCALL_OPERATION_RENDEZVOUS;
    call.count = 4;
    MakeCall(call);
    call.operation = ROLLCALL_OPERATION_INIT;
    call.communicator = DefineWorld();
    MakeCall(call);
  });
  CHECK(view.rows.size() == 2);
  CHECK(view.shapes.at(1).lane() == 0);
  CHECK(view.shapes.at(2).lane() == 0);
  CHECK(view.progress.empty());
}
