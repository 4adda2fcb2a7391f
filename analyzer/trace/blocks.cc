#include "analyzer/trace/blocks.h"

#include <protozero/pbf_reader.hpp>

#include "proto/trace_fields.h"

namespace rollcall::analyzer {
namespace {

using protozero::pbf_wire_type;

// Field and wire type together: protozero's getters only assert the type, and a damaged block may
// hold any.
constexpr std::uint32_t Varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t Fixed64(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}
constexpr std::uint32_t Fixed32(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}
constexpr std::uint32_t Bytes(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

std::uint64_t Word(const protozero::data_view& column, std::size_t index) {
  std::uint64_t value;
  std::memcpy(&value, column.data() + 8 * index, 8);
  return value;
}

[[noreturn]] void Refuse() {
  throw protozero::end_of_buffer_exception{};
}

void ReadCalls(protozero::pbf_reader reader, BlockContents& contents) {
  CallColumns block;
  std::uint64_t check = 0;
  const auto column = [&reader](const char*& into) {
    const protozero::data_view view = reader.get_view();
    if (view.size() != 4 * kRollcallRows) Refuse();
    into = view.data();
  };
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Fixed64(ROLLCALL_CallBlock_sequence):
        block.sequence = reader.get_fixed64();
        break;
      case Varint(ROLLCALL_CallBlock_rows):
        block.rows = reader.get_uint32();
        break;
      case Fixed64(ROLLCALL_CallBlock_base):
        block.base = reader.get_fixed64();
        break;
      case Bytes(ROLLCALL_CallBlock_shape):
        column(block.shape);
        break;
      case Bytes(ROLLCALL_CallBlock_entered):
        column(block.entered);
        break;
      case Bytes(ROLLCALL_CallBlock_started):
        column(block.started);
        break;
      case Bytes(ROLLCALL_CallBlock_completed):
        column(block.completed);
        break;
      case Fixed64(ROLLCALL_CallBlock_sequence_check):
        check = reader.get_fixed64();
        break;
      default:
        reader.skip();
    }
  }
  if (block.shape == nullptr || block.entered == nullptr || block.started == nullptr ||
      block.completed == nullptr || block.rows != kRollcallRows) {
    Refuse();
  }
  if (block.sequence != check) {
    ++contents.discarded;
  } else if (block.sequence != 0) {
    if (block.sequence > kGreatestSequence || block.base > kGreatestTime) Refuse();
    contents.calls.push_back(block);
  }
}

void ReadCells(protozero::pbf_reader reader, BlockContents& contents) {
  std::uint64_t sequence = 0, check = 0;
  protozero::data_view kinds, extras, rows, values;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Fixed64(ROLLCALL_CellBlock_sequence):
        sequence = reader.get_fixed64();
        break;
      case Bytes(ROLLCALL_CellBlock_kind):
        kinds = reader.get_view();
        break;
      case Bytes(ROLLCALL_CellBlock_extra):
        extras = reader.get_view();
        break;
      case Bytes(ROLLCALL_CellBlock_row):
        rows = reader.get_view();
        break;
      case Bytes(ROLLCALL_CellBlock_value):
        values = reader.get_view();
        break;
      case Fixed64(ROLLCALL_CellBlock_sequence_check):
        check = reader.get_fixed64();
        break;
      default:
        reader.skip();
    }
  }
  if (kinds.size() != 4 * kRollcallCellRows || extras.size() != kinds.size() ||
      rows.size() != 2 * kinds.size() || values.size() != rows.size()) {
    Refuse();
  }
  if (sequence != check) {
    ++contents.discarded;
    return;
  }
  std::vector<CellView>& cells = contents.cells.emplace_back();
  for (std::uint32_t i = 0; i < kRollcallCellRows; ++i) {
    const std::uint32_t kind = CallColumns::At(kinds.data(), i);
    const std::uint64_t row = Word(rows, i);
    if (kind == 0 || row / kRollcallRows > kGreatestSequence) continue;
    cells.push_back(
        {static_cast<std::int64_t>(row), kind, CallColumns::At(extras.data(), i), Word(values, i)});
  }
}

template <typename Message>
void ReadPacket(const protozero::data_view& bytes, std::vector<Message>& into, int& malformed) {
  if (!into.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    into.pop_back();
    ++malformed;
  }
}

// Definitions are never reused, so those in front of damage count; events of a damaged segment may
// be of two generations.
void ReadSegment(protozero::pbf_reader reader, BlockContents& contents) {
  EventSegment segment;
  std::uint64_t check = 0;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Fixed64(ROLLCALL_Segment_sequence):
        segment.sequence = reader.get_fixed64();
        break;
      case Bytes(ROLLCALL_Segment_definition):
        ReadPacket(reader.get_view(), contents.definitions, contents.malformed);
        break;
      case Bytes(ROLLCALL_Segment_event):
        ReadPacket(reader.get_view(), segment.events, contents.malformed);
        break;
      case Fixed64(ROLLCALL_Segment_sequence_check):
        check = reader.get_fixed64();
        break;
      default:
        reader.skip();
    }
  }
  if (segment.sequence != check) {
    ++contents.discarded;
  } else if (!segment.events.empty()) {
    contents.events.push_back(std::move(segment));
  }
}

void ReadCheckpoints(protozero::pbf_reader reader, BlockContents& contents) {
  CheckpointsView view;
  std::uint64_t sequence = 0, check = 0;
  protozero::data_view hashes;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Fixed64(ROLLCALL_Checkpoints_sequence):
        sequence = reader.get_fixed64();
        break;
      case Fixed64(ROLLCALL_Checkpoints_first):
        view.first = reader.get_fixed64();
        break;
      case Fixed32(ROLLCALL_Checkpoints_lane):
        view.lane = reader.get_fixed32();
        break;
      case Fixed32(ROLLCALL_Checkpoints_shift):
        view.shift = reader.get_fixed32();
        break;
      case Bytes(ROLLCALL_Checkpoints_hash):
        hashes = reader.get_view();
        break;
      case Fixed64(ROLLCALL_Checkpoints_sequence_check):
        check = reader.get_fixed64();
        break;
      default:
        reader.skip();
    }
  }
  if (sequence != check) {
    ++contents.discarded;
    return;
  }
  if (sequence == 0) return;
  if (view.shift > 30 || view.first > kGreatestSequence >> view.shift || hashes.size() % 8 != 0) {
    Refuse();
  }
  for (std::size_t i = 0; i < hashes.size() / 8; ++i) {
    view.hashes.push_back(Word(hashes, i) & ~ROLLCALL_HASH_BIT);
    if ((Word(hashes, i) & ROLLCALL_HASH_BIT) == 0) view.hashes.back() = 0;
  }
  contents.checkpoints.push_back(std::move(view));
}

void ReadProgress(protozero::pbf_reader reader, BlockContents& contents) {
  ProgressView view;
  std::uint64_t check = 0;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Fixed64(ROLLCALL_Progress_sequence):
        view.sequence = reader.get_fixed64();
        break;
      case Fixed32(ROLLCALL_Progress_lane):
        view.lane = reader.get_fixed32();
        break;
      case Fixed64(ROLLCALL_Progress_count):
        view.count = reader.get_fixed64();
        break;
      case Fixed64(ROLLCALL_Progress_hash):
        view.hash = reader.get_fixed64();
        break;
      case Fixed64(ROLLCALL_Progress_next_row):
        view.next_row = reader.get_fixed64();
        break;
      case Fixed64(ROLLCALL_Progress_sequence_check):
        check = reader.get_fixed64();
        break;
      default:
        reader.skip();
    }
  }
  if (view.sequence != check) {
    ++contents.discarded;
    return;
  }
  if (view.sequence == 0) return;
  if (view.count > kGreatestSequence * kRollcallRows ||
      view.next_row > kGreatestSequence * kRollcallRows) {
    Refuse();
  }
  view.ended = (view.hash & ROLLCALL_HASH_BIT) != 0;
  view.hash &= ~ROLLCALL_HASH_BIT;
  contents.progress.push_back(view);
}

}  // namespace

int BlockField(absl::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto tag = static_cast<unsigned char>(bytes[0]);
  const int field = tag >> 3;
  const bool known = field == ROLLCALL_Trace_definitions || field == ROLLCALL_Trace_calls ||
                     field == ROLLCALL_Trace_checkpoints || field == ROLLCALL_Trace_progress ||
                     field == ROLLCALL_Trace_events || field == ROLLCALL_Trace_cells ||
                     field == ROLLCALL_Trace_pad;
  return known && (tag & 7) == 2 ? field : 0;
}

void ParseBlock(absl::string_view bytes, BlockContents& contents) {
  try {
    protozero::pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case Bytes(ROLLCALL_Trace_definitions):
        case Bytes(ROLLCALL_Trace_events):
          ReadSegment(reader.get_message(), contents);
          break;
        case Bytes(ROLLCALL_Trace_calls):
          ReadCalls(reader.get_message(), contents);
          break;
        case Bytes(ROLLCALL_Trace_checkpoints):
          ReadCheckpoints(reader.get_message(), contents);
          break;
        case Bytes(ROLLCALL_Trace_progress):
          ReadProgress(reader.get_message(), contents);
          break;
        case Bytes(ROLLCALL_Trace_cells):
          ReadCells(reader.get_message(), contents);
          break;
        case Bytes(ROLLCALL_Trace_pad):
          reader.skip();
          break;
        // A later writer of this version adds fields inside messages, not blocks: anything else is
        // damage.
        default:
          Refuse();
      }
    }
  } catch (const protozero::exception&) {
    contents.sound = false;
  }
}

bool ParseHeader(absl::string_view bytes, Header& header) {
  try {
    protozero::pbf_reader file(bytes.data(), bytes.size());
    if (!file.next() || file.tag_and_type() != Bytes(ROLLCALL_Trace_header)) return false;
    protozero::pbf_reader reader = file.get_message();
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case Varint(ROLLCALL_Header_version):
          header.set_version(reader.get_uint32());
          break;
        case Varint(ROLLCALL_Header_block_bytes):
          header.set_block_bytes(reader.get_uint32());
          break;
        case Varint(ROLLCALL_Header_rows):
          header.set_rows(reader.get_uint32());
          break;
        case Fixed64(ROLLCALL_Header_monotonic_ns):
          header.set_monotonic_ns(reader.get_fixed64());
          break;
        case Fixed64(ROLLCALL_Header_realtime_ns):
          header.set_realtime_ns(reader.get_fixed64());
          break;
        case Varint(ROLLCALL_Header_pid):
          header.set_pid(reader.get_uint32());
          break;
        case Bytes(ROLLCALL_Header_host):
          header.set_host(reader.get_string());
          break;
        case Fixed64(ROLLCALL_Header_multiplier):
          header.set_multiplier(reader.get_fixed64());
          break;
        case Fixed64(ROLLCALL_Header_start_ticks):
          header.set_start_ticks(reader.get_fixed64());
          break;
        case Bytes(ROLLCALL_Header_boot_id):
          header.set_boot_id(reader.get_string());
          break;
        case Varint(ROLLCALL_Header_cell_rows):
          header.set_cell_rows(reader.get_uint32());
          break;
        default:
          reader.skip();
      }
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace rollcall::analyzer
