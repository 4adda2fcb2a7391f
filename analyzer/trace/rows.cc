#include "analyzer/trace/rows.h"

#include "proto/trace_fields.h"

namespace rollcall::analyzer {
namespace {

// An unused row between used ones.
bool HasHole(const CallColumns& block) {
  bool unused = false;
  for (std::uint32_t i = 0; i < block.rows; ++i) {
    if (CallColumns::At(block.shape, i) == 0) {
      unused = true;
    } else if (unused) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<RowReader> RowReader::Open(const std::string& path) {
  absl::StatusOr<FileReader> file = FileReader::Open(path);
  if (!file.ok()) return file.status();
  return RowReader(*std::move(file));
}

std::optional<CallColumns> RowReader::ReadBlock(const CallBlockPlace& place) {
  if (file_.Read(place.offset, bytes_.data(), bytes_.size()) != bytes_.size()) return std::nullopt;
  contents_.calls.clear();
  contents_.sound = true;
  if (BlockField(bytes_) != ROLLCALL_Trace_calls) return std::nullopt;
  ParseBlock(bytes_, contents_);
  if (!contents_.sound || contents_.calls.size() != 1) return std::nullopt;
  if (contents_.calls.front().sequence != place.sequence) return std::nullopt;
  return contents_.calls.front();
}

bool RowReader::ReadRows(const CallBlockPlace& place, std::vector<Row>& rows) {
  // A hole may be a row that is claimed and not yet stored. Or the copy was interrupted at it and
  // took the rows behind it later: then it is there when the block is read again.
  constexpr int kTries = 4;
  std::optional<CallColumns> block = ReadBlock(place);
  for (int i = 1; i < kTries && block && HasHole(*block); ++i)
    block = ReadBlock(place);
  if (!block) return false;
  for (std::uint32_t i = 0; i < block->rows; ++i) {
    const std::uint32_t shape = CallColumns::At(block->shape, i);
    if (shape == 0) continue;
    Row& row = rows.emplace_back();
    row.number = block->RowNumber(i);
    row.shape = shape;
    row.entered_ns = block->Time(CallColumns::At(block->entered, i));
    row.started_ns = block->Time(CallColumns::At(block->started, i));
    const std::uint32_t completed = CallColumns::At(block->completed, i);
    switch (completed) {
      case 0:
        break;
      case ROLLCALL_ENDED_SEE_EVENT:
        row.end = RowEnd::kSeeEvent;
        break;
      case ROLLCALL_NOT_WATCHED:
        row.end = RowEnd::kNotWatched;
        break;
      default:
        row.end = RowEnd::kCompleted;
        row.completed_ns = block->Time(completed);
    }
  }
  return true;
}

}  // namespace rollcall::analyzer
