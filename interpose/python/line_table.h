// Long line tables made shorter, so that a code object of thousands of lines fits into one
// definition.
#pragma once

#include <cstddef>

namespace rollcall::interpose {

// Rewrites a table of CPython 3.`minor` in place, at most `capacity` bytes; returns its new
// length. 3.11 and later: without columns, ranges of one line joined. What still does not fit is
// cut at the end, between two ranges: lines behind are unknown then. Before 3.10 an end that is cut
// off would make lines wrong: 0 is returned.
std::size_t ShortenLineTable(int minor, unsigned char* table, std::size_t bytes,
                             std::size_t capacity) noexcept;

}  // namespace rollcall::interpose
