// Rows of call blocks, decoded when asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/trace/file_reader.h"
#include "analyzer/trace/trace_file.h"

namespace rollcall::analyzer {

enum class RowEnd : std::uint8_t { kPending, kCompleted, kSeeEvent, kNotWatched };

struct Row {
  std::int64_t number = 0;  // in the process
  std::uint32_t shape = 0;  // CallShape.id
  RowEnd end = RowEnd::kPending;
  std::int64_t entered_ns = 0;
  std::int64_t started_ns = 0;    // 0 = not started or not seen
  std::int64_t completed_ns = 0;  // of kCompleted
};

// Reads the call blocks of one file, one at a time; each block is judged as it is now, which may be
// later than the index.
class RowReader {
 public:
  static absl::StatusOr<RowReader> Open(const std::string& path);
  // The block's columns, valid until the next call; nothing if it was reused or is damaged.
  std::optional<CallColumns> ReadBlock(const CallBlockPlace& place);
  // Appends the used rows of the block.
  bool ReadRows(const CallBlockPlace& place, std::vector<Row>& rows);

 private:
  explicit RowReader(FileReader file) : file_(std::move(file)), bytes_(kRollcallBlockBytes, '\0') {}
  FileReader file_;
  std::string bytes_;
  BlockContents contents_;
};

}  // namespace rollcall::analyzer
