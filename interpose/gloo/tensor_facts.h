// What a tensor says of itself, read from c10::TensorImpl without PyTorch's headers. Its layout is
// one of a few, all of them checked at run time: where the facts contradict each other, nothing is
// known.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

struct TensorFacts {
  std::uint64_t elements = 0;
  std::uint32_t dimension_count = 0;  // may exceed kMaxDimensions: the first ones are kept
  std::int64_t dimensions[kMaxDimensions] = {};
  std::uint32_t scalar_type = 0;  // c10::ScalarType
};

// `tensor` is the address of an at::Tensor.
bool ReadTensor(const void* tensor, TensorFacts* facts) noexcept;

// ROLLCALL_DATATYPE_*, and bytes of an element; 0 = unknown.
std::uint32_t DatatypeOf(std::uint32_t scalar_type) noexcept;
std::uint32_t BytesOf(std::uint32_t scalar_type) noexcept;

// How long a c10::intrusive_ptr_target is in this build: 16 or 24 bytes. Learned from any live
// object that is one; 0 = not yet.
void LearnHeader(const void* target) noexcept;
std::size_t HeaderBytes() noexcept;

// c10d::ReduceOp as ROLLCALL_REDUCE_OPERATION_*; `options` begins with one. False: not to be read.
bool ReadReduceOperation(const void* options, std::uint32_t* redop) noexcept;

}  // namespace rollcall::interpose
