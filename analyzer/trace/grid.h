// The grid of a trace: offset 4096 + i * 16384 starts a top-level field, for every i.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "analyzer/trace/file_reader.h"
#include "proto/raw_layout.h"

namespace rollcall::analyzer {

constexpr std::int64_t kChunkBytes = 64 * kRollcallBlockBytes;

// Calls with each block of the grid, in order, from a private copy.
template <typename Visit>
void WalkGrid(const FileReader& file, Visit visit) {
  std::string chunk(std::min<std::int64_t>(kChunkBytes, std::max<std::int64_t>(file.size(), 1)),
                    '\0');
  for (std::int64_t at = kRollcallHeaderBytes; at < file.size(); at += kChunkBytes) {
    const std::size_t wanted = std::min<std::int64_t>(kChunkBytes, file.size() - at);
    if (chunk.size() < wanted) chunk.resize(wanted);
    const std::size_t got = file.Read(at, chunk.data(), wanted);
    for (std::size_t in_chunk = 0; in_chunk < got; in_chunk += kRollcallBlockBytes) {
      visit(at + static_cast<std::int64_t>(in_chunk),
            absl::string_view(chunk.data() + in_chunk,
                              std::min<std::size_t>(kRollcallBlockBytes, got - in_chunk)));
    }
    if (got < wanted) return;
  }
}

}  // namespace rollcall::analyzer
