// Damaged and foreign files: a statement, never a crash, and what is whole is read.
#include <algorithm>
#include <random>

#include "analyzer/model/build_job.h"
#include "analyzer/trace/file_reader.h"
#include "analyzer/trace/foreign.h"
#include "analyzer/trace/rows.h"
#include "analyzer/trace/trace_file.h"
#include "tests/catch.h"
#include "tests/model/synthetic_job.h"

namespace rollcall::analyzer {
namespace {

std::string Example() {
  SyntheticRank rank(0, 2);
  for (int i = 0; i < 2500; ++i)
    rank.Completed(rank.Allreduce(64, 40 + i % 20));
  const std::int64_t row = rank.Pending(rank.Allreduce(1, 70));
  rank.writer().AddCell(row, CELL_POSITION, 2500, 1);
  Event event;
  event.set_kind(EVENT_RECORDING);
  event.set_data("why");
  rank.writer().AddEvent(event);
  rank.Alive();
  return rank.writer().Finish();
}

std::size_t Rows(const TraceFile& trace) {
  absl::StatusOr<RowReader> reader = RowReader::Open(trace.path);
  std::vector<Row> rows;
  for (const CallBlockPlace& place : trace.call_blocks)
    reader->ReadRows(place, rows);
  return rows.size();
}

TEST_CASE("every prefix of a trace is read as far as it goes") {
  const TemporaryFolder folder;
  const std::string bytes = Example();
  std::size_t rows_before = 0;
  for (std::size_t length = 0; length <= bytes.size(); length += 512) {
    const std::string path = folder.Write("a.rollcall", bytes.substr(0, length));
    const TraceFile trace = ReadTraceFile(path);
    INFO("bytes: " << length);
    if (length == 0) {
      CHECK(trace.state == TraceState::kEmpty);
    } else if (length < bytes.size()) {
      CHECK(trace.state == TraceState::kTruncated);
      CHECK(trace.message.find("ends at byte " + std::to_string(length)) == 0);
    } else {
      CHECK(trace.state == TraceState::kComplete);
    }
    CHECK(trace.usable == (length >= 4096));
    CHECK(trace.damaged_blocks == 0);
    if (!trace.usable) continue;
    const std::size_t rows = Rows(trace);
    CHECK(rows >= rows_before);
    rows_before = rows;
    CHECK(BuildJob({path}).ok());
  }
  CHECK(rows_before == 2501);
}

TEST_CASE("flipped bytes cost at most the blocks they are in") {
  const TemporaryFolder folder;
  const std::string bytes = Example();
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    std::string damaged = bytes;
    // Most of a file is columns and pads; half of the rounds aim at heads and definitions.
    const std::size_t limit = round % 2 == 0 ? bytes.size() : 4096 + 16384;
    for (int flips = 0; flips < 1 + round % 4; ++flips) {
      damaged[random() % limit] ^= static_cast<char>(1 + random() % 255);
    }
    const std::string path = folder.Write("a.rollcall", damaged);
    const TraceFile trace = ReadTraceFile(path);
    INFO("round: " << round);
    const absl::StatusOr<Job> job = BuildJob({path});
    CHECK(job.ok() == trace.usable);
    if (!trace.usable) CHECK_FALSE(trace.message.empty());
    if (trace.usable && trace.damaged_blocks != 0) {
      CHECK(trace.state == TraceState::kDamaged);
      CHECK(trace.message.find(std::to_string(trace.first_damage)) != std::string::npos);
    }
  }
}

TEST_CASE("a block of noise is skipped and named, the rest is read") {
  const TemporaryFolder folder;
  std::string bytes = Example();
  const std::size_t block = bytes.size() - 2 * 16384;
  std::mt19937 random(3);
  std::generate_n(bytes.begin() + static_cast<std::ptrdiff_t>(block), 16384,
                  [&] { return static_cast<char>(random() | 0xf0); });
  const TraceFile trace = ReadTraceFile(folder.Write("a.rollcall", bytes));
  CHECK(trace.state == TraceState::kDamaged);
  CHECK(trace.damaged_blocks == 1);
  CHECK(trace.first_damage == static_cast<std::int64_t>(block));
  CHECK(Rows(trace) == 2501 - 1020);
}

TEST_CASE("a block that was being reused is left out") {
  const TemporaryFolder folder;
  std::string bytes = Example();
  bytes[bytes.size() - 8] ^= 1;  // sequence_check of the last block
  const TraceFile trace = ReadTraceFile(folder.Write("a.rollcall", bytes));
  CHECK(trace.state == TraceState::kComplete);
  CHECK(trace.discarded == 1);
  CHECK(Rows(trace) == 2040);
}

TEST_CASE("files that are no traces are told apart") {
  const TemporaryFolder folder;
  CHECK(ReadTraceFile(folder.path() + "/none.rollcall").state == TraceState::kUnreadable);
  CHECK(ReadTraceFile(folder.path()).state == TraceState::kUnreadable);
  CHECK(ReadTraceFile(folder.Write("text.rollcall", "hello, this is a log\n")).state ==
        TraceState::kForeign);
  CHECK(ReadTraceFile(folder.Write("zeros.rollcall", std::string(100000, '\0'))).state ==
        TraceState::kForeign);
  CHECK(ReadTraceFile(folder.Write("empty.rollcall", "")).state == TraceState::kEmpty);

  std::string newer = Example();
  REQUIRE(newer.substr(4, 2) == std::string("\x08\x01", 2));
  newer[5] = 9;
  const TraceFile trace = ReadTraceFile(folder.Write("newer.rollcall", newer));
  CHECK(trace.state == TraceState::kVersion);
  CHECK(trace.message.find("version 9") != std::string::npos);
}

TEST_CASE("a trace whose header is overwritten is damaged, not foreign") {
  const TemporaryFolder folder;
  std::string bytes = Example();
  std::fill_n(bytes.begin(), 64, '#');
  const TraceFile trace = ReadTraceFile(folder.Write("a.rollcall", bytes));
  CHECK(trace.state == TraceState::kDamaged);
  CHECK_FALSE(trace.usable);
  CHECK(trace.first_damage == 0);
}

TEST_CASE("what a foreign file is, is guessed from its first bytes") {
  CHECK(GuessContents("Epoch 3: loss 0.1\n") == "text");
  CHECK(GuessContents("{\"a\": 1}") == "JSON");
  CHECK(GuessContents("\x80\x02}q") == "a Python pickle (a dump of Flight Recorder?)");
  CHECK(GuessContents("\x7f\x45LF") == "a program or library (ELF)");
  CHECK(GuessContents("\x1f\x8b\x08") == "a gzip archive: unpack it first");
  CHECK(GuessContents(std::string(64, '\0')).find("zeros") == 0);
  CHECK(GuessContents("\x01\x02\x03").empty());
  CHECK(GuessContents("").empty());
}

TEST_CASE("no more of a file is read than a trace can be long") {
  const TemporaryFolder folder;
  absl::StatusOr<FileReader> file =
      FileReader::Open(folder.Write("a.rollcall", std::string(100, 'x')));
  REQUIRE(file.ok());
  REQUIRE(file->TakeSize(40).ok());
  CHECK(file->size() == 40);
}

TEST_CASE("without any readable trace the error says what was found") {
  const TemporaryFolder folder;
  const absl::Status nothing = BuildJob({folder.path()}).status();
  CHECK(nothing.code() == absl::StatusCode::kNotFound);
  const absl::Status missing = BuildJob({folder.path() + "/none"}).status();
  CHECK(std::string(missing.message()).find("no such file") != std::string::npos);
  folder.Write("a.rollcall", "");
  const absl::Status empty = BuildJob({folder.path()}).status();
  CHECK(std::string(empty.message()).find("empty") != std::string::npos);
}

}  // namespace
}  // namespace rollcall::analyzer
