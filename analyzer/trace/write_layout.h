// Bytes of the parts of a trace, for TraceWriter: places and fillers as in proto/raw_layout.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/raw_layout.h"
#include "trace.pb.h"

namespace rollcall::analyzer {

struct WriterRow;

struct FingerprintRecords {
  struct Progress {
    std::uint32_t lane;
    std::uint64_t count, hash, next_row;
  };
  struct Checkpoints {
    std::uint32_t lane;
    std::uint64_t first;
    std::vector<std::uint64_t> hashes;  // at most 64
  };
  std::vector<Progress> progress;
  std::vector<Checkpoints> checkpoints;
};

// Each appends whole blocks to `file`.
void AppendSegments(int field, const std::vector<Definition>& definitions, std::string& file);
void AppendSegments(int field, const std::vector<Event>& events, std::string& file);
void AppendFingerprints(const FingerprintRecords& records, std::string& file);
void AppendCells(const std::vector<std::uint64_t>& kind, const std::vector<std::uint64_t>& extra,
                 const std::vector<std::uint64_t>& row, const std::vector<std::uint64_t>& value,
                 std::string& file);
// All rows make the numbering; only the last max_blocks blocks are written (0 = all).
void AppendCallBlocks(const std::vector<WriterRow>& rows, int max_blocks, std::string& file);
// Fills the first 4096 bytes.
void WriteHeaderPage(const Header& header, const RollcallState& state, std::string& file);

}  // namespace rollcall::analyzer
