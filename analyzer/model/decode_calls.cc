#include "analyzer/model/decode_calls.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/model/positions.h"
#include "analyzer/model/row_facts.h"
#include "analyzer/trace/rows.h"

namespace rollcall::analyzer {
namespace {

// Shape ids are dense, so an array beats a hash map; damage may show any number.
class ShapeIndex {
 public:
  explicit ShapeIndex(const LoadedProcess& loaded) : loaded_(loaded) { Rebuild(); }
  void Rebuild() {
    dense_.assign(std::min<std::size_t>(loaded_.shapes.size() + 1, 1u << 20), -1);
    for (const auto& [id, index] : loaded_.shapes) {
      if (id < dense_.size()) dense_[id] = index;
    }
  }
  int Find(std::uint32_t id) const {
    if (id < dense_.size()) return dense_[id];
    const auto found = loaded_.shapes.find(id);
    return found == loaded_.shapes.end() ? -1 : found->second;
  }

 private:
  const LoadedProcess& loaded_;
  std::vector<int> dense_;
};

// The first of the newest `wanted` rows. Rows behind the newest Progress come on top, because
// positions are counted from there, and a call that is open is never too old.
std::int64_t FirstRow(const TraceFile& trace, std::int64_t wanted) {
  std::uint64_t next_row = 0;
  for (const auto& [lane, progress] : trace.progress)
    next_row = std::max(next_row, progress.next_row);
  // Damage may show any number. The recorder covers rows within a second.
  constexpr std::uint64_t kMostUncovered = 1'000'000;
  if (!trace.call_blocks.empty()) {
    const std::uint64_t end = trace.call_blocks.back().sequence * kRollcallRows;
    next_row = std::clamp(next_row, end - std::min(end, kMostUncovered), end);
  }
  std::int64_t first = std::max<std::int64_t>(0, static_cast<std::int64_t>(next_row) - wanted);
  for (const CallBlockPlace& place : trace.call_blocks) {
    if (place.first_open < 0) continue;
    const auto block = static_cast<std::int64_t>((place.sequence - 1) * kRollcallRows);
    first = std::min(first, block + place.first_open);
  }
  return first;
}

class Decoder {
 public:
  explicit Decoder(LoadedProcess& loaded)
      : loaded_(loaded),
        facts_(loaded),
        shapes_(loaded),
        reader_(RowReader::Open(loaded.trace.path)) {}

  Decoded Decode(std::int64_t first_row, std::int64_t wanted_rows);

 private:
  void ReadBlocks(std::size_t first_block);
  void TakeRows(const CallBlockPlace& place, const std::vector<Row>& rows);
  int ShapeOf(std::uint32_t id);
  void AddMovedRows(Decoded& decoded);

  LoadedProcess& loaded_;
  RowFacts facts_;
  ShapeIndex shapes_;
  absl::StatusOr<RowReader> reader_;
  std::vector<CallRun> runs_;
  std::int64_t first_row_ = 0, breaks_off_at_ = -1;
  std::int64_t unknown_shapes_ = 0, unreadable_blocks_ = 0;
  bool read_definitions_again_ = false;
};

int Decoder::ShapeOf(std::uint32_t id) {
  int shape = shapes_.Find(id);
  if (shape < 0 && !read_definitions_again_) {
    // Of a live file: its definitions were copied before its rows.
    read_definitions_again_ = true;
    TakeDefinitions(ReadDefinitions(loaded_.trace.path), loaded_);
    shapes_.Rebuild();
    shape = shapes_.Find(id);
  }
  return shape;
}

void Decoder::TakeRows(const CallBlockPlace& place, const std::vector<Row>& rows) {
  std::vector<Call>& calls = loaded_.process.calls;
  if (runs_.empty() || runs_.back().last_sequence + 1 != place.sequence) {
    const auto block = static_cast<std::int64_t>((place.sequence - 1) * kRollcallRows);
    runs_.push_back({std::max(block, first_row_), place.sequence, calls.size(), calls.size()});
  }
  for (const Row& row : rows) {
    if (row.number < first_row_ || breaks_off_at_ >= 0) continue;
    const int shape = ShapeOf(row.shape);
    if (shape >= 0) {
      calls.push_back(facts_.MakeCall(row, shape));
    } else if (loaded_.process.lost_definitions > 0) {
      ++unknown_shapes_;  // beyond the budget of definitions, on all ranks alike
    } else {
      // Nobody knows in which sequence it counts, so all that follows would stand at a wrong place.
      breaks_off_at_ = row.number;
    }
  }
  runs_.back().last_sequence = place.sequence;
  runs_.back().end = calls.size();
}

// Full blocks from front to back. From the first on that is not full, from back to front: a live
// process goes on while its file is read, and whoever made a call that was seen had stored all its
// earlier ones before, so they are there when they are looked for later.
void Decoder::ReadBlocks(std::size_t first_block) {
  const std::vector<CallBlockPlace>& blocks = loaded_.trace.call_blocks;
  std::vector<Row> rows;
  std::size_t next = first_block;
  for (; next < blocks.size(); ++next) {
    rows.clear();
    if (!reader_->ReadRows(blocks[next], rows)) {
      ++unreadable_blocks_;
    } else if (rows.size() < kRollcallRows) {
      break;
    } else {
      TakeRows(blocks[next], rows);
    }
  }
  std::vector<std::optional<std::vector<Row>>> rest(blocks.size() - next);
  for (std::size_t i = blocks.size(); i-- > next;) {
    rows.clear();
    if (reader_->ReadRows(blocks[i], rows)) rest[i - next] = rows;
  }
  for (std::size_t i = next; i < blocks.size(); ++i) {
    if (rest[i - next]) {
      TakeRows(blocks[i], *rest[i - next]);
    } else {
      ++unreadable_blocks_;
    }
  }
}

// Rows whose blocks were given up while they were open: events keep them. A pending one is taken
// for the last of its communicator before the rows that are there.
void Decoder::AddMovedRows(Decoded& decoded) {
  std::vector<Call>& calls = loaded_.process.calls;
  std::vector<Call> moved;
  for (const Row& row : facts_.moved_rows()) {
    const bool there =
        std::binary_search(calls.begin(), calls.end(), Call{.row = row.number},
                           [](const Call& a, const Call& b) { return a.row < b.row; });
    const int shape = there ? -1 : ShapeOf(row.shape);
    if (shape >= 0) moved.push_back(facts_.MakeCall(row, shape));
  }
  if (moved.empty()) return;
  for (Sequence& sequence : decoded.sequences) {
    for (std::int64_t& index : sequence.calls) {
      const std::int64_t row = calls[index].row;
      index += std::count_if(moved.begin(), moved.end(),
                             [&](const Call& call) { return call.row < row; });
    }
  }
  const std::size_t middle = calls.size();
  calls.insert(calls.end(), moved.begin(), moved.end());
  std::inplace_merge(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(middle),
                     calls.end(), [](const Call& a, const Call& b) { return a.row < b.row; });
  for (auto one = moved.rbegin(); one != moved.rend(); ++one) {
    if (one->state != CallState::kPending || !loaded_.is_position[one->shape]) continue;
    const Shape& shape = loaded_.process.shapes[one->shape];
    Sequence& sequence = decoded.sequences[shape.communicator];
    if (sequence.first_position == 0) continue;
    const auto place = std::lower_bound(calls.begin(), calls.end(), *one,
                                        [](const Call& a, const Call& b) { return a.row < b.row; });
    place->position = --sequence.first_position;
    sequence.calls.insert(sequence.calls.begin(), place - calls.begin());
    const std::uint64_t element = facts_.Element(one->row);
    sequence.elements.insert(sequence.elements.begin(), element != 0 ? element : shape.fingerprint);
  }
}

Decoded Decoder::Decode(std::int64_t first_row, std::int64_t wanted_rows) {
  Process& process = loaded_.process;
  const std::vector<CallBlockPlace>& blocks = loaded_.trace.call_blocks;
  Decoded decoded;
  first_row_ = first_row;
  if (!reader_.ok()) {
    decoded.notes.push_back(std::string(reader_.status().message()));
  } else {
    const auto first_block = std::lower_bound(
        blocks.begin(), blocks.end(), static_cast<std::uint64_t>(first_row) / kRollcallRows + 1,
        [](const CallBlockPlace& place, std::uint64_t sequence) {
          return place.sequence < sequence;
        });
    process.calls.reserve(
        std::min<std::size_t>(static_cast<std::size_t>(blocks.end() - first_block) * kRollcallRows,
                              static_cast<std::uint64_t>(wanted_rows) + kRollcallRows));
    ReadBlocks(static_cast<std::size_t>(first_block - blocks.begin()));
  }
  process.first_row = process.calls.empty() ? 0 : process.calls.front().row;
  SetPositions(runs_, facts_, loaded_, decoded);
  AddMovedRows(decoded);
  for (const Call& call : process.calls) {
    process.last_sign_ns =
        std::max({process.last_sign_ns, call.entered_ns, call.started_ns, call.completed_ns});
  }
  if (unknown_shapes_ != 0) {
    decoded.notes.push_back(absl::StrCat(
        unknown_shapes_, " calls were left out: what they asked for is not in the file (yet)"));
  }
  if (breaks_off_at_ >= 0) {
    decoded.breaks_off = absl::StrCat("what call ", breaks_off_at_ + 1,
                                      " asked for is not in the file: it and those behind it are "
                                      "left out");
  }
  if (unreadable_blocks_ != 0) {
    decoded.notes.push_back(
        absl::StrCat(unreadable_blocks_, " blocks of calls were reused while they were read"));
  }
  return decoded;
}

}  // namespace

Decoded DecodeCalls(LoadedProcess& loaded, std::int64_t wanted) {
  loaded.process.calls.clear();
  return Decoder(loaded).Decode(FirstRow(loaded.trace, wanted), wanted);
}

}  // namespace rollcall::analyzer
