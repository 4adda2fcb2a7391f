#include "analyzer/trace/write_layout.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "analyzer/trace/trace_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::analyzer {
namespace {

constexpr char kPadTag = 0x7a;
constexpr char kCheckTag = 0x71;

// Tag and length in four bytes, the length as a three-byte varint.
void PutHead(char* at, int field, std::size_t length) {
  at[0] = static_cast<char>(field << 3 | 2);
  at[1] = static_cast<char>(0x80 | (length & 0x7f));
  at[2] = static_cast<char>(0x80 | (length >> 7 & 0x7f));
  at[3] = static_cast<char>(length >> 14);
}

// A pad of 2 to 129 bytes, zeros inside.
void PutFiller(char* at, std::size_t bytes) {
  assert(bytes >= 2 && bytes <= 129);
  at[0] = kPadTag;
  at[1] = static_cast<char>(bytes - 2);
}

template <typename Value>
void Put(char* at, Value value) {
  std::memcpy(at, &value, sizeof value);
}

void PutTagged64(char* at, char tag, std::uint64_t value) {
  at[-1] = tag;
  Put(at, value);
}

// A block of its own with a head, a sequence in front and behind; the caller fills [16, 16375).
char* AddSequencedBlock(int field, std::uint64_t sequence, std::string& file) {
  file.append(kRollcallBlockBytes, '\0');
  char* block = file.data() + file.size() - kRollcallBlockBytes;
  PutHead(block, field, kRollcallBlockBytes - 4);
  PutTagged64(block + kRollcallSequenceAt, 0x09, sequence);
  PutTagged64(block + kRollcallSequenceCheckAt, kCheckTag, sequence);
  return block;
}

// Message below a Segment: head, bytes, filler to a multiple of four.
std::size_t PacketBytes(std::size_t message_bytes) {
  const std::size_t rest = (4 - message_bytes % 4) % 4;
  return 4 + message_bytes + (rest == 1 ? 5 : rest);
}

template <typename Message>
void AppendPackets(int block_field, int packet_field, const std::vector<Message>& messages,
                   std::string& file) {
  std::uint64_t sequence = 0;
  std::size_t next = 0;
  do {
    char* block = AddSequencedBlock(block_field, ++sequence, file);
    PutFiller(block + 4, 3);
    std::size_t at = kRollcallPacketsAt;
    for (; next < messages.size(); ++next) {
      const std::string bytes = messages[next].SerializeAsString();
      const std::size_t packet = PacketBytes(bytes.size());
      // The pad that closes the segment needs its head, or no byte at all.
      if (at + packet != kRollcallPacketsEnd && at + packet + 4 > kRollcallPacketsEnd) break;
      PutHead(block + at, packet_field, bytes.size());
      std::memcpy(block + at + 4, bytes.data(), bytes.size());
      if (const std::size_t filler = packet - 4 - bytes.size())
        PutFiller(block + at + 4 + bytes.size(), filler);
      at += packet;
    }
    if (at < kRollcallPacketsEnd) {
      PutHead(block + at, ROLLCALL_Segment_pad, kRollcallPacketsEnd - at - 4);
    }
    PutFiller(block + kRollcallPacketsEnd, 3);
  } while (next < messages.size());
}

template <typename Value>
void PutColumn(char* block, std::size_t data_at, int field, const std::vector<Value>& values,
               std::size_t size) {
  PutHead(block + data_at - 4, field, size * sizeof(Value));
  if (!values.empty()) std::memcpy(block + data_at, values.data(), values.size() * sizeof(Value));
}

std::uint32_t Units(std::int64_t time, std::uint64_t base) {
  return static_cast<std::uint32_t>(((static_cast<std::uint64_t>(time) - base) >> 10) + 1);
}

void PutRows(const WriterRow* rows, std::size_t count, char* block) {
  const auto base = static_cast<std::uint64_t>(rows->entered_ns);
  Put(block + kRollcallBaseAt, base);
  for (std::size_t i = 0; i < count; ++i) {
    const WriterRow& row = rows[i];
    Put(block + kRollcallShapeAt + 4 * i, row.shape);
    Put(block + kRollcallEnteredAt + 4 * i, Units(row.entered_ns, base));
    if (row.started_ns != 0) Put(block + kRollcallStartedAt + 4 * i, Units(row.started_ns, base));
    std::uint32_t completed = row.completed_ns != 0 ? Units(row.completed_ns, base) : 0;
    if (row.see_event) completed = ROLLCALL_ENDED_SEE_EVENT;
    if (row.not_watched) completed = ROLLCALL_NOT_WATCHED;
    Put(block + kRollcallCompletedAt + 4 * i, completed);
  }
}

void PutProgress(const FingerprintRecords::Progress* progress, char* record) {
  PutHead(record, ROLLCALL_Trace_progress, kRollcallProgressBytes - 4);
  PutFiller(record + 4, 3);
  PutTagged64(record + 8, 0x09, progress ? 1 : 0);
  record[16] = 0x15;
  PutTagged64(record + kRollcallProgressCountAt, 0x19, progress ? progress->count : 0);
  PutTagged64(record + kRollcallProgressHashAt, 0x21, progress ? progress->hash : 0);
  PutTagged64(record + kRollcallProgressNextRowAt, 0x29, progress ? progress->next_row : 0);
  if (progress) Put(record + kRollcallProgressLaneAt, progress->lane);
  record[21] = 0x19;
  PutFiller(record + 48, 7);
  PutTagged64(record + kRollcallProgressCheckAt, kCheckTag, progress ? 1 : 0);
}

void PutCheckpoints(const FingerprintRecords::Checkpoints* checkpoints, char* record) {
  PutHead(record, ROLLCALL_Trace_checkpoints, kRollcallCheckpointsBytes - 4);
  PutFiller(record + 4, 3);
  PutTagged64(record + 8, 0x09, checkpoints ? 1 : 0);
  PutFiller(record + 16, 7);
  PutTagged64(record + kRollcallCheckpointsFirstAt, 0x11, checkpoints ? checkpoints->first : 0);
  PutFiller(record + 32, 3);
  record[kRollcallCheckpointsLaneAt - 1] = 0x1d;
  PutFiller(record + 40, 3);
  record[kRollcallCheckpointsShiftAt - 1] = 0x25;
  PutFiller(record + 48, 4);
  PutHead(record + kRollcallCheckpointsHashAt - 4, ROLLCALL_Checkpoints_hash,
          8 * kRollcallCheckpointsEntries);
  PutFiller(record + 568, 7);
  PutTagged64(record + kRollcallCheckpointsCheckAt, kCheckTag, checkpoints ? 1 : 0);
  if (checkpoints == nullptr) return;
  Put(record + kRollcallCheckpointsLaneAt, checkpoints->lane);
  for (std::size_t i = 0; i < checkpoints->hashes.size(); ++i) {
    Put(record + kRollcallCheckpointsHashAt + 8 * i, checkpoints->hashes[i] | ROLLCALL_HASH_BIT);
  }
}

}  // namespace

void AppendSegments(int field, const std::vector<Definition>& definitions, std::string& file) {
  AppendPackets(field, ROLLCALL_Segment_definition, definitions, file);
}

void AppendSegments(int field, const std::vector<Event>& events, std::string& file) {
  AppendPackets(field, ROLLCALL_Segment_event, events, file);
}

void AppendFingerprints(const FingerprintRecords& records, std::string& file) {
  std::size_t progress = 0, checkpoints = 0;
  do {
    file.append(kRollcallBlockBytes, '\0');
    char* at = file.data() + file.size() - kRollcallBlockBytes;
    for (int i = 0; i < kRollcallProgressPerBlock; ++i, at += kRollcallProgressBytes) {
      PutProgress(progress < records.progress.size() ? &records.progress[progress++] : nullptr, at);
    }
    for (int i = 0; i < kRollcallCheckpointsPerBlock; ++i, at += kRollcallCheckpointsBytes) {
      PutCheckpoints(
          checkpoints < records.checkpoints.size() ? &records.checkpoints[checkpoints++] : nullptr,
          at);
    }
    PutFiller(at, file.data() + file.size() - at);
  } while (progress < records.progress.size() || checkpoints < records.checkpoints.size());
}

void AppendCells(const std::vector<std::uint64_t>& kind, const std::vector<std::uint64_t>& extra,
                 const std::vector<std::uint64_t>& row, const std::vector<std::uint64_t>& value,
                 std::string& file) {
  std::uint64_t sequence = 0;
  for (std::size_t from = 0; from < kind.size(); from += kRollcallCellRows) {
    const auto begin = static_cast<std::ptrdiff_t>(from);
    const auto end =
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(kind.size(), from + kRollcallCellRows));
    char* block = AddSequencedBlock(ROLLCALL_Trace_cells, ++sequence, file);
    block[4] = 0x10;
    block[5] = static_cast<char>(0x80 | (kRollcallCellRows & 0x7f));
    block[6] = kRollcallCellRows >> 7;
    PutFiller(block + 16, 4);
    PutColumn<std::uint32_t>(block, kRollcallCellKindAt, ROLLCALL_CellBlock_kind,
                             {kind.begin() + begin, kind.begin() + end}, kRollcallCellRows);
    PutColumn<std::uint32_t>(block, kRollcallCellExtraAt, ROLLCALL_CellBlock_extra,
                             {extra.begin() + begin, extra.begin() + end}, kRollcallCellRows);
    PutColumn<std::uint64_t>(block, kRollcallCellRowAt, ROLLCALL_CellBlock_row,
                             {row.begin() + begin, row.begin() + end}, kRollcallCellRows);
    PutFiller(block + kRollcallCellValueAt - 8, 4);
    PutColumn<std::uint64_t>(block, kRollcallCellValueAt, ROLLCALL_CellBlock_value,
                             {value.begin() + begin, value.begin() + end}, kRollcallCellRows);
    PutFiller(block + kRollcallCellValueAt + 8 * kRollcallCellRows, 15);
  }
}

void AppendCallBlocks(const std::vector<WriterRow>& rows, int max_blocks, std::string& file) {
  const std::size_t blocks = (rows.size() + kRollcallRows - 1) / kRollcallRows;
  const std::size_t kept = max_blocks == 0 ? blocks : std::min<std::size_t>(blocks, max_blocks);
  const std::vector<std::uint32_t> none;
  for (std::size_t number = blocks - kept; number < blocks; ++number) {
    char* block = AddSequencedBlock(ROLLCALL_Trace_calls, number + 1, file);
    block[4] = 0x10;
    block[5] = static_cast<char>(0x80 | (kRollcallRows & 0x7f));
    block[6] = kRollcallRows >> 7;
    PutFiller(block + 16, 7);
    block[kRollcallBaseAt - 1] = 0x19;
    PutColumn(block, kRollcallShapeAt, ROLLCALL_CallBlock_shape, none, kRollcallRows);
    PutColumn(block, kRollcallEnteredAt, ROLLCALL_CallBlock_entered, none, kRollcallRows);
    PutColumn(block, kRollcallStartedAt, ROLLCALL_CallBlock_started, none, kRollcallRows);
    PutColumn(block, kRollcallCompletedAt, ROLLCALL_CallBlock_completed, none, kRollcallRows);
    PutFiller(block + kRollcallSequenceCheckAt - 8, 7);
    const std::size_t first = number * kRollcallRows;
    PutRows(rows.data() + first, std::min<std::size_t>(kRollcallRows, rows.size() - first), block);
  }
}

void WriteHeaderPage(const Header& header, const RollcallState& state, std::string& file) {
  Header known = header;
  known.clear_state();
  known.clear_pad();
  const std::string bytes = known.SerializeAsString();
  char* page = file.data();
  PutHead(page, ROLLCALL_Trace_header, kRollcallHeaderBytes - 4);
  std::memcpy(page + 4, bytes.data(), bytes.size());
  const std::size_t pad_at = 4 + bytes.size();
  const std::size_t state_head = kRollcallStateAt - 4;
  assert(pad_at + 4 <= state_head);
  PutHead(page + pad_at, ROLLCALL_Trace_pad, state_head - pad_at - 4);
  PutHead(page + state_head, ROLLCALL_Header_state, kRollcallStateBytes);
  std::memcpy(page + kRollcallStateAt, &state, sizeof state);
}

}  // namespace rollcall::analyzer
