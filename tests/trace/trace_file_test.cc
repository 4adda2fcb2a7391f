// What TraceFile says of a file, with libprotobuf as referee.
#include "analyzer/trace/trace_file.h"

#include "analyzer/trace/rows.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

SyntheticRank Example(int calls) {
  SyntheticRank rank(1, 4);
  for (int i = 0; i < calls; ++i) {
    rank.Completed(rank.Allreduce(static_cast<std::uint64_t>(1 + i % 50), 10 + i % 200));
  }
  const std::int64_t failed = rank.Pending(rank.Allreduce(3, 7));
  Event event;
  event.set_kind(EVENT_FAILED);
  event.set_row(static_cast<std::uint64_t>(failed + 1));
  event.set_data("timed out");
  rank.writer().AddEvent(event);
  rank.writer().AddCell(failed, CELL_POSITION, 5000, 2);
  rank.writer().AddSetting("env.RANK", "1");
  rank.Alive();
  return rank;
}

TEST_CASE("the reader and libprotobuf see the same trace") {
  const TemporaryFolder folder;
  SyntheticRank rank = Example(5000);
  const std::string bytes = rank.writer().Finish();
  const std::string path = folder.Write("a.rollcall", bytes);
  Trace referee;
  REQUIRE(referee.ParseFromString(bytes));

  const TraceFile trace = ReadTraceFile(path);
  REQUIRE(trace.usable);
  CHECK(trace.message == "");
  CHECK(trace.state == TraceState::kComplete);
  Header header = referee.header();
  header.clear_state();
  header.clear_pad();
  CHECK(trace.header.SerializeAsString() == header.SerializeAsString());

  std::vector<Definition> definitions;
  for (const Segment& segment : referee.definitions()) {
    definitions.insert(definitions.end(), segment.definition().begin(), segment.definition().end());
  }
  REQUIRE(trace.definitions.size() == definitions.size());
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    CHECK(trace.definitions[i].SerializeAsString() == definitions[i].SerializeAsString());
  }
  REQUIRE(trace.events.size() == 1);
  CHECK(trace.events[0].SerializeAsString() == referee.events(0).event(0).SerializeAsString());
  REQUIRE(trace.cells.size() == 1);
  CHECK(trace.cells[0].value == referee.cells(0).value(0));
  CHECK(trace.cells[0].extra == 2);

  const Progress& progress = referee.progress(0);
  const ProgressView& view = trace.progress.at(1);
  CHECK(view.count == progress.count());
  CHECK(view.hash == progress.hash());
  CHECK(view.count == 5001);
  REQUIRE(trace.checkpoints.at(1).size() == 4);
  CHECK(trace.checkpoints.at(1).at(2048) == (referee.checkpoints(0).hash(1) & ~ROLLCALL_HASH_BIT));

  REQUIRE(trace.call_blocks.size() == static_cast<std::size_t>(referee.calls_size()));
  absl::StatusOr<RowReader> reader = RowReader::Open(path);
  REQUIRE(reader.ok());
  std::vector<Row> rows;
  for (const CallBlockPlace& place : trace.call_blocks)
    REQUIRE(reader->ReadRows(place, rows));
  REQUIRE(rows.size() == 5001);
  std::size_t next = 0;
  for (const CallBlock& block : referee.calls()) {
    for (int i = 0; i < block.shape_size(); ++i) {
      if (block.shape(i) == 0) continue;
      const Row& row = rows[next++];
      CHECK(row.shape == block.shape(i));
      CHECK(row.number == static_cast<std::int64_t>((block.sequence() - 1) * 1020) + i);
      CHECK(row.entered_ns ==
            static_cast<std::int64_t>(block.base() + (std::uint64_t{block.entered(i) - 1} << 10)));
      CHECK((row.end == RowEnd::kPending) == (block.completed(i) == 0));
    }
  }
  CHECK(next == rows.size());
}

}  // namespace
}  // namespace rollcall::analyzer
