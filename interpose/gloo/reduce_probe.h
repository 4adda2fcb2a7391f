// Names a reduce function by what it does: called on pairs of known elements, whose results no two
// operations and types share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

// gloo's (and c10d's) signature: result, two operands, number of elements.
using ReduceFunction = void(void*, const void*, const void*, std::size_t);

struct ReduceName {
  std::uint32_t redop = 0;  // ROLLCALL_REDUCE_OPERATION_*, 0 = none of those known
  std::uint32_t datatype = 0;
};

// Elements of 1, 2, 4 or 8 bytes. i8 and u8 do the same in sums, products and bit operations: told
// as i8.
ReduceName ProbeReduceFunction(ReduceFunction* function, std::size_t element_bytes) noexcept;

}  // namespace rollcall::interpose
