// proto/raw_layout.h against bytes that libprotobuf reads: each fixed part is put together here by
// its offsets, without the writer, and must come out of the parser as it went in.
#include "proto/raw_layout.h"

#include <cstring>
#include <string>

#include "proto/trace_fields.h"
#include "tests/catch.h"
#include "trace.pb.h"

namespace {

class Bytes {
 public:
  explicit Bytes(std::size_t size) : bytes_(size, '\0') {}

  void Head(std::size_t at, unsigned field, std::size_t length) {
    Byte(at, field << 3 | 2);
    Byte(at + 1, 0x80 | (length & 0x7f));
    Byte(at + 2, 0x80 | (length >> 7 & 0x7f));
    Byte(at + 3, static_cast<unsigned>(length >> 14));
  }
  void Tag64(std::size_t value_at, unsigned field) { Byte(value_at - 1, field << 3 | 1); }
  void Tag32(std::size_t value_at, unsigned field) { Byte(value_at - 1, field << 3 | 5); }
  // A pad that fills up to `end`.
  void Fill(std::size_t at, std::size_t end) {
    Byte(at, 15 << 3 | 2);
    Byte(at + 1, static_cast<unsigned>(end - at - 2));
  }
  void Byte(std::size_t at, unsigned value) { bytes_.at(at) = static_cast<char>(value); }
  template <class T>
  void Put(std::size_t at, T value) {
    REQUIRE(at % sizeof value == 0);  // patched words are aligned
    std::memcpy(&bytes_.at(at), &value, sizeof value);
  }
  const std::string& text() const { return bytes_; }

 private:
  std::string bytes_;
};

rollcall::Trace Parse(const Bytes& bytes) {
  rollcall::Trace trace;
  REQUIRE(trace.ParseFromString(bytes.text()));
  const std::size_t whole = trace.ByteSizeLong();
  trace.DiscardUnknownFields();
  CHECK(trace.ByteSizeLong() == whole);
  return trace;
}

}  // namespace

TEST_CASE("a call block fills its place on the grid", "[layout]") {
  Bytes block(kRollcallBlockBytes);
  block.Head(0, ROLLCALL_Trace_calls, kRollcallBlockBytes - 4);
  block.Byte(4, ROLLCALL_CallBlock_rows << 3);
  block.Byte(5, 0x80 | (kRollcallRows & 0x7f));
  block.Byte(6, kRollcallRows >> 7);
  block.Tag64(kRollcallSequenceAt, ROLLCALL_CallBlock_sequence);
  block.Fill(16, kRollcallBaseAt - 1);
  block.Tag64(kRollcallBaseAt, ROLLCALL_CallBlock_base);
  const std::size_t columns[] = {kRollcallShapeAt, kRollcallEnteredAt, kRollcallStartedAt,
                                 kRollcallCompletedAt};
  for (unsigned i = 0; i < 4; ++i)
    block.Head(columns[i] - 4, ROLLCALL_CallBlock_shape + i, 4 * kRollcallRows);
  block.Fill(kRollcallCompletedAt + 4 * kRollcallRows, kRollcallSequenceCheckAt - 1);
  block.Tag64(kRollcallSequenceCheckAt, ROLLCALL_CallBlock_sequence_check);
  block.Put(kRollcallSequenceAt, std::uint64_t{7});
  block.Put(kRollcallBaseAt, std::uint64_t{1234567});
  block.Put(kRollcallSequenceCheckAt, std::uint64_t{7});
  for (unsigned i = 0; i < 4; ++i)
    block.Put(columns[i] + 4 * 1019, 100 + i);

  const rollcall::Trace trace = Parse(block);
  REQUIRE(trace.calls_size() == 1);
  const rollcall::CallBlock& calls = trace.calls(0);
  CHECK(calls.sequence() == 7);
  CHECK(calls.sequence_check() == 7);
  CHECK(calls.rows() == 1020);
  CHECK(calls.base() == 1234567);
  REQUIRE(calls.shape_size() == 1020);
  CHECK(calls.shape(1019) == 100);
  CHECK(calls.entered(1019) == 101);
  CHECK(calls.started(1019) == 102);
  CHECK(calls.completed(1019) == 103);
}

TEST_CASE("a cell block fills its place on the grid", "[layout]") {
  Bytes block(kRollcallBlockBytes);
  block.Head(0, ROLLCALL_Trace_cells, kRollcallBlockBytes - 4);
  block.Byte(4, ROLLCALL_CellBlock_rows << 3);
  block.Byte(5, 0x80 | (kRollcallCellRows & 0x7f));
  block.Byte(6, kRollcallCellRows >> 7);
  block.Tag64(kRollcallSequenceAt, ROLLCALL_CellBlock_sequence);
  block.Fill(16, kRollcallCellKindAt - 4);
  block.Head(kRollcallCellKindAt - 4, ROLLCALL_CellBlock_kind, 4 * kRollcallCellRows);
  block.Head(kRollcallCellExtraAt - 4, ROLLCALL_CellBlock_extra, 4 * kRollcallCellRows);
  block.Head(kRollcallCellRowAt - 4, ROLLCALL_CellBlock_row, 8 * kRollcallCellRows);
  block.Fill(kRollcallCellRowAt + 8 * kRollcallCellRows, kRollcallCellValueAt - 4);
  block.Head(kRollcallCellValueAt - 4, ROLLCALL_CellBlock_value, 8 * kRollcallCellRows);
  block.Fill(kRollcallCellValueAt + 8 * kRollcallCellRows, kRollcallSequenceCheckAt - 1);
  block.Tag64(kRollcallSequenceCheckAt, ROLLCALL_CellBlock_sequence_check);
  block.Put(kRollcallSequenceAt, std::uint64_t{3});
  block.Put(kRollcallCellKindAt + 4 * 679, std::uint32_t{ROLLCALL_CELL_TAG});
  block.Put(kRollcallCellExtraAt + 4 * 679, std::uint32_t{5});
  block.Put(kRollcallCellRowAt + 8 * 679, std::uint64_t{99});
  block.Put(kRollcallCellValueAt + 8 * 679, std::uint64_t{1} << 40);

  const rollcall::Trace trace = Parse(block);
  REQUIRE(trace.cells_size() == 1);
  const rollcall::CellBlock& cells = trace.cells(0);
  REQUIRE(cells.kind_size() == 680);
  CHECK(cells.rows() == 680);
  CHECK(cells.kind(679) == rollcall::CELL_TAG);
  CHECK(cells.extra(679) == 5);
  CHECK(cells.row(679) == 99);
  CHECK(cells.value(679) == std::uint64_t{1} << 40);
}

TEST_CASE("the records of fingerprints have the sizes that are said", "[layout]") {
  Bytes progress(kRollcallProgressBytes);
  progress.Head(0, ROLLCALL_Trace_progress, kRollcallProgressBytes - 4);
  progress.Fill(4, kRollcallSequenceAt - 1);
  progress.Tag64(kRollcallSequenceAt, ROLLCALL_Progress_sequence);
  progress.Tag32(kRollcallProgressLaneAt, ROLLCALL_Progress_lane);
  progress.Tag64(kRollcallProgressCountAt, ROLLCALL_Progress_count);
  progress.Tag64(kRollcallProgressHashAt, ROLLCALL_Progress_hash);
  progress.Tag64(kRollcallProgressNextRowAt, ROLLCALL_Progress_next_row);
  progress.Fill(kRollcallProgressNextRowAt + 8, kRollcallProgressCheckAt - 1);
  progress.Tag64(kRollcallProgressCheckAt, ROLLCALL_Progress_sequence_check);
  CHECK(Parse(progress).progress_size() == 1);

  Bytes checkpoints(kRollcallCheckpointsBytes);
  checkpoints.Head(0, ROLLCALL_Trace_checkpoints, kRollcallCheckpointsBytes - 4);
  checkpoints.Fill(4, kRollcallSequenceAt - 1);
  checkpoints.Tag64(kRollcallSequenceAt, ROLLCALL_Checkpoints_sequence);
  checkpoints.Fill(16, kRollcallCheckpointsFirstAt - 1);
  checkpoints.Tag64(kRollcallCheckpointsFirstAt, ROLLCALL_Checkpoints_first);
  checkpoints.Fill(32, kRollcallCheckpointsLaneAt - 1);
  checkpoints.Tag32(kRollcallCheckpointsLaneAt, ROLLCALL_Checkpoints_lane);
  checkpoints.Fill(40, kRollcallCheckpointsShiftAt - 1);
  checkpoints.Tag32(kRollcallCheckpointsShiftAt, ROLLCALL_Checkpoints_shift);
  checkpoints.Fill(48, kRollcallCheckpointsHashAt - 4);
  checkpoints.Head(kRollcallCheckpointsHashAt - 4, ROLLCALL_Checkpoints_hash, 8 * 64);
  checkpoints.Fill(kRollcallCheckpointsHashAt + 8 * 64, kRollcallCheckpointsCheckAt - 1);
  checkpoints.Tag64(kRollcallCheckpointsCheckAt, ROLLCALL_Checkpoints_sequence_check);
  checkpoints.Put(kRollcallCheckpointsHashAt + 8 * 63, ROLLCALL_HASH_BIT | 5);
  const rollcall::Trace trace = Parse(checkpoints);
  REQUIRE(trace.checkpoints_size() == 1);
  REQUIRE(trace.checkpoints(0).hash_size() == kRollcallCheckpointsEntries);
  CHECK(trace.checkpoints(0).hash(63) == (ROLLCALL_HASH_BIT | 5));
  CHECK(kRollcallProgressPerBlock * kRollcallProgressBytes +
            kRollcallCheckpointsPerBlock * kRollcallCheckpointsBytes <=
        kRollcallBlockBytes - 4);
}

TEST_CASE("the state page fits its place in the header", "[layout]") {
  CHECK(sizeof(RollcallState) <= kRollcallStateBytes);
  CHECK(offsetof(RollcallState, mutex) % 8 == 0);
  CHECK(kRollcallStateAt + kRollcallStateBytes == kRollcallHeaderBytes);
}

TEST_CASE("a tail of zeros does not parse, so files must not grow by zeros", "[layout]") {
  rollcall::Trace trace;
  CHECK_FALSE(trace.ParseFromString(std::string(4096, '\0')));
}
