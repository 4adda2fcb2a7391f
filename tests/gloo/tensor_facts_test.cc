// Layouts of c10::TensorImpl are made by hand here; real ones are read in torch_calls_test.cc.
#include "interpose/gloo/tensor_facts.h"

#include <cstring>
#include <vector>

#include "proto/trace_fields.h"
#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kSizeAt = 64;  // PyTorch 2.3 to 2.12

struct FakeTensor {
  alignas(8) char bytes[256] = {};
  const void* pointer = bytes;
  std::vector<std::int64_t> far_sizes;

  FakeTensor(const std::vector<std::int64_t>& sizes, std::uint16_t scalar_type) {
    Store<std::uint64_t>(8, std::uint64_t{1} << 32 | 1);  // counts of 4 bytes
    Store<std::uint64_t>(kSizeAt, sizes.size());
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      elements *= static_cast<std::uint64_t>(sizes[i]);
      if (sizes.size() <= 5) Store<std::int64_t>(kSizeAt + 8 + 8 * i, sizes[i]);
    }
    if (sizes.size() > 5) {
      far_sizes = sizes;
      Store<const std::int64_t*>(kSizeAt + 8, far_sizes.data());
    }
    Store<std::uint64_t>(kSizeAt + 96, elements);
    Store<std::uint16_t>(kSizeAt + 104, scalar_type);
  }
  template <class T>
  void Store(std::size_t at, T value) {
    std::memcpy(bytes + at, &value, sizeof value);
  }
};

TEST_CASE("a tensor's facts are read, and not believed when they contradict each other", "[gloo]") {
  FakeTensor matrix({4, 3}, 6);
  TensorFacts facts;
  REQUIRE(ReadTensor(&matrix.pointer, &facts));
  CHECK(facts.elements == 12);
  CHECK(facts.dimension_count == 2);
  CHECK(facts.dimensions[0] == 4);
  CHECK(facts.dimensions[1] == 3);
  CHECK(DatatypeOf(facts.scalar_type) == ROLLCALL_DATATYPE_F32);
  CHECK(BytesOf(facts.scalar_type) == 4);

  FakeTensor deep({1, 2, 1, 2, 1, 3, 1}, 4);
  REQUIRE(ReadTensor(&deep.pointer, &facts));
  CHECK(facts.elements == 12);
  CHECK(facts.dimension_count == 7);
  CHECK(facts.dimensions[5] == 3);

  matrix.Store<std::uint64_t>(kSizeAt + 96, 13);
  CHECK_FALSE(ReadTensor(&matrix.pointer, &facts));
  const void* const none = nullptr;
  CHECK_FALSE(ReadTensor(&none, &facts));
}

TEST_CASE("a reduce operation is read from options, with its check", "[gloo]") {
  alignas(8) char options[64] = {};
  FakeTensor learn({2}, 6);
  TensorFacts facts;
  REQUIRE(ReadTensor(&learn.pointer, &facts));
  std::uint32_t redop = 0;
  options[16] = 4;
  REQUIRE(ReadReduceOperation(options, &redop));
  CHECK(redop == ROLLCALL_REDUCE_OPERATION_MAX);
  options[16] = 8;  // premul_sum needs a supplement
  CHECK_FALSE(ReadReduceOperation(options, &redop));
  options[16] = 77;
  CHECK_FALSE(ReadReduceOperation(options, &redop));
}

}  // namespace
}  // namespace rollcall::interpose
