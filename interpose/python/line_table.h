// Long line tables made shorter, so that a code object of thousands of lines fits into one
// definition.
#pragma once

#include <cstddef>

namespace rollcall::interpose {

// Writes to `ranges` a table of at most `capacity` bytes for CPython 3.`minor` that says the same
// lines; returns its length. 3.11 and later: a zero byte (no table of theirs starts so), then pairs
// as in 3.10, without the columns. What still does not fit is cut at the end: lines behind are
// unknown then. Before 3.10 an end that is cut off would make lines wrong: 0 is returned.
std::size_t ShortenLineTable(int minor, const unsigned char* table, std::size_t bytes,
                             unsigned char* ranges, std::size_t capacity) noexcept;

}  // namespace rollcall::interpose
