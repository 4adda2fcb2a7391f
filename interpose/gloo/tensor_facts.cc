#include "interpose/gloo/tensor_facts.h"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

// Offsets behind SizesAndStrides.size_, equal in PyTorch 1.13 to 2.14.
constexpr std::size_t kSizes = 8;
constexpr std::size_t kElements = 96;
constexpr std::size_t kScalarType = 104;
constexpr std::uint64_t kInlineDimensions = 5;
constexpr std::uint64_t kMaxTensorDimensions = 64;
constexpr std::uint32_t kScalarTypes = 64;

std::atomic<std::uint32_t> header_bytes{0};
// Offset of SizesAndStrides.size_; 0 = not yet known.
std::atomic<std::uint32_t> size_at{0};

template <class T>
T Load(const char* object, std::size_t at) noexcept {
  T value;
  memcpy(&value, object + at, sizeof value);
  return value;
}

// Whether dimensions, sizes, number of elements and type fit together. Sizes that lie elsewhere are
// followed only where the layout is known.
bool Fits(const char* impl, std::size_t at, bool known) noexcept {
  const auto dimensions = Load<std::uint64_t>(impl, at);
  if (dimensions > (known ? kMaxTensorDimensions : kInlineDimensions)) return false;
  const char* sizes = impl + at + kSizes;
  if (dimensions > kInlineDimensions) sizes = Load<const char*>(impl, at + kSizes);
  std::uint64_t product = 1;
  for (std::uint64_t i = 0; i < dimensions; ++i) {
    const auto size = Load<std::int64_t>(sizes, i * sizeof(std::int64_t));
    if (size < 0) return false;
    product *= static_cast<std::uint64_t>(size);
  }
  return product == Load<std::uint64_t>(impl, at + kElements) &&
         Load<std::uint16_t>(impl, at + kScalarType) < kScalarTypes;
}

std::size_t FindLayout(const char* impl) noexcept {
  const std::size_t known = size_at.load(std::memory_order_relaxed);
  if (known != 0) return Fits(impl, known, true) ? known : 0;
  const std::size_t narrow = HeaderBytes() + 40, wide = HeaderBytes() + 48;
  const bool fits_narrow = Fits(impl, narrow, false), fits_wide = Fits(impl, wide, false);
  if (fits_narrow == fits_wide) return 0;
  const std::size_t found = fits_narrow ? narrow : wide;
  size_at.store(static_cast<std::uint32_t>(found), std::memory_order_relaxed);
  return found;
}

struct ScalarTypeRow {
  std::uint8_t datatype;
  std::uint8_t bytes;
};
// By c10::ScalarType; its numbers never change.
constexpr ScalarTypeRow kScalarTypeRows[] = {
    {ROLLCALL_DATATYPE_U8, 1},      {ROLLCALL_DATATYPE_I8, 1},
    {ROLLCALL_DATATYPE_I16, 2},     {ROLLCALL_DATATYPE_I32, 4},
    {ROLLCALL_DATATYPE_I64, 8},     {ROLLCALL_DATATYPE_F16, 2},
    {ROLLCALL_DATATYPE_F32, 4},     {ROLLCALL_DATATYPE_F64, 8},
    {ROLLCALL_DATATYPE_UNKNOWN, 4},  // complex of f16
    {ROLLCALL_DATATYPE_C64, 8},     {ROLLCALL_DATATYPE_C128, 16},
    {ROLLCALL_DATATYPE_BOOL, 1},    {ROLLCALL_DATATYPE_UNKNOWN, 1},  // quantised: i8
    {ROLLCALL_DATATYPE_UNKNOWN, 1},                                  // u8
    {ROLLCALL_DATATYPE_UNKNOWN, 4},                                  // i32
    {ROLLCALL_DATATYPE_BF16, 2},    {ROLLCALL_DATATYPE_UNKNOWN, 1},  // quantised: 4 bits
    {ROLLCALL_DATATYPE_UNKNOWN, 1},                                  // 2 bits
    {ROLLCALL_DATATYPE_UNKNOWN, 1}, {ROLLCALL_DATATYPE_UNKNOWN, 1},  // bit fields
    {ROLLCALL_DATATYPE_UNKNOWN, 1}, {ROLLCALL_DATATYPE_UNKNOWN, 1},
    {ROLLCALL_DATATYPE_UNKNOWN, 2}, {ROLLCALL_DATATYPE_F8E5M2, 1},
    {ROLLCALL_DATATYPE_F8E4M3, 1},  {ROLLCALL_DATATYPE_UNKNOWN, 1},  // f8 without -0
    {ROLLCALL_DATATYPE_UNKNOWN, 1}, {ROLLCALL_DATATYPE_UNKNOWN, 2},  // u16
    {ROLLCALL_DATATYPE_U32, 4},     {ROLLCALL_DATATYPE_U64, 8},
};
constexpr std::uint32_t kKnownScalarTypes = sizeof kScalarTypeRows / sizeof kScalarTypeRows[0];

// By c10d::ReduceOp::RedOpType.
constexpr std::uint32_t kReduceOperations[] = {
    ROLLCALL_REDUCE_OPERATION_SUM,       ROLLCALL_REDUCE_OPERATION_AVG,
    ROLLCALL_REDUCE_OPERATION_PROD,      ROLLCALL_REDUCE_OPERATION_MIN,
    ROLLCALL_REDUCE_OPERATION_MAX,       ROLLCALL_REDUCE_OPERATION_BAND,
    ROLLCALL_REDUCE_OPERATION_BOR,       ROLLCALL_REDUCE_OPERATION_BXOR,
    ROLLCALL_REDUCE_OPERATION_PREMUL_SUM};
constexpr std::uint8_t kPremulSum = 8;

}  // namespace

bool ReadTensor(const void* tensor, TensorFacts* facts) noexcept {
  if (tensor == nullptr) return false;
  const char* const impl = Load<const char*>(static_cast<const char*>(tensor), 0);
  if (impl == nullptr) return false;
  LearnHeader(impl);
  const std::size_t at = FindLayout(impl);
  if (at == 0) return false;
  facts->elements = Load<std::uint64_t>(impl, at + kElements);
  facts->scalar_type = Load<std::uint16_t>(impl, at + kScalarType);
  const auto dimensions = Load<std::uint64_t>(impl, at);
  facts->dimension_count = static_cast<std::uint32_t>(dimensions);
  const char* sizes = impl + at + kSizes;
  if (dimensions > kInlineDimensions) sizes = Load<const char*>(impl, at + kSizes);
  memcpy(facts->dimensions, sizes,
         std::min<std::uint64_t>(dimensions, kMaxDimensions) * sizeof(std::int64_t));
  return true;
}

std::uint32_t DatatypeOf(std::uint32_t scalar_type) noexcept {
  return scalar_type < kKnownScalarTypes ? kScalarTypeRows[scalar_type].datatype : 0;
}

std::uint32_t BytesOf(std::uint32_t scalar_type) noexcept {
  return scalar_type < kKnownScalarTypes ? kScalarTypeRows[scalar_type].bytes : 0;
}

// A table of functions, then the reference counts: two of 8 bytes, or two of 4 in one word. A live
// object has a weak count, so the word's upper half is zero only where the counts have 8 bytes.
void LearnHeader(const void* target) noexcept {
  if (header_bytes.load(std::memory_order_relaxed) != 0) return;
  const auto counts = Load<std::uint64_t>(static_cast<const char*>(target), 8);
  header_bytes.store(counts >> 32 != 0 ? 16 : 24, std::memory_order_relaxed);
}

std::size_t HeaderBytes() noexcept {
  return header_bytes.load(std::memory_order_relaxed);
}

bool ReadReduceOperation(const void* options, std::uint32_t* redop) noexcept {
  const std::size_t header = HeaderBytes();
  if (header == 0) return false;
  const char* const object = static_cast<const char*>(options);
  const auto operation = Load<std::uint8_t>(object, header);
  const auto supplement = Load<std::uint64_t>(object, header + 8);
  if (operation > kPremulSum || (operation == kPremulSum) != (supplement != 0)) return false;
  *redop = kReduceOperations[operation];
  return true;
}

}  // namespace rollcall::interpose
