// The pairs: exact values of every floating type of the size, so that sums and products are exact
// too, with negative ones, which tell the order of floats from that of integers; and integers. A
// floating candidate is judged on its own pairs, an integer candidate on all of them (as integers,
// floats are just other numbers; as floats, small integers are denormal, and prove nothing).
#include "interpose/gloo/reduce_probe.h"

#include <string.h>

#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

enum Operation { kSum, kProduct, kMin, kMax, kAnd, kOr, kXor, kOperations };
constexpr int kFloatOperations = 4;
constexpr std::uint32_t kRedops[] = {ROLLCALL_REDUCE_OPERATION_SUM,  ROLLCALL_REDUCE_OPERATION_PROD,
                                     ROLLCALL_REDUCE_OPERATION_MIN,  ROLLCALL_REDUCE_OPERATION_MAX,
                                     ROLLCALL_REDUCE_OPERATION_BAND, ROLLCALL_REDUCE_OPERATION_BOR,
                                     ROLLCALL_REDUCE_OPERATION_BXOR};

enum FloatType { kF32, kF64, kF16, kBf16, kFloatTypes };
constexpr std::size_t kFloatBytes[] = {4, 8, 2, 2};
constexpr std::uint32_t kFloatDatatypes[] = {ROLLCALL_DATATYPE_F32, ROLLCALL_DATATYPE_F64,
                                             ROLLCALL_DATATYPE_F16, ROLLCALL_DATATYPE_BF16};

constexpr int kPairs = 3;
constexpr double kFloats[kPairs][2] = {{-1.5, -2.0}, {1.5, 2.5}, {-1.5, 2.5}};
constexpr std::int64_t kIntegers[kPairs][2] = {{6, 3}, {-2, 1}, {1, -2}};
constexpr int kMaxPairs = 4 * kPairs;

// A NaN in f16 and a number in bf16; the other is a number in both. Only they tell min and max of
// the two types apart.
constexpr std::uint16_t kNanInF16 = 0x7F00;
constexpr std::uint16_t kNumber = 0x3F80;

// Normal numbers only.
std::uint64_t Encode(int type, double value) noexcept {
  std::uint64_t bits = 0;
  if (type == kF64) {
    memcpy(&bits, &value, sizeof value);
    return bits;
  }
  const float narrow = static_cast<float>(value);
  std::uint32_t word;
  memcpy(&word, &narrow, sizeof word);
  if (type == kF32) return word;
  if (type == kBf16) return word >> 16;
  const std::uint32_t sign = (word >> 16) & 0x8000, exponent = ((word >> 23) & 255) - 112;
  return sign | exponent << 10 | ((word >> 13) & 0x3FF);
}

double ReduceFloats(int operation, double a, double b) noexcept {
  switch (operation) {
    case kSum:
      return a + b;
    case kProduct:
      return a * b;
    case kMin:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

std::uint64_t ReduceIntegers(int operation, bool is_signed, unsigned bits, std::uint64_t a,
                             std::uint64_t b) noexcept {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto wide = [bits](std::uint64_t value) {
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  };
  const bool less = is_signed ? wide(a) < wide(b) : a < b;
  switch (operation) {
    case kSum:
      return (a + b) & mask;
    case kProduct:
      return (a * b) & mask;
    case kMin:
      return less ? a : b;
    case kMax:
      return less ? b : a;
    case kAnd:
      return a & b;
    case kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

std::uint32_t IntegerDatatype(std::size_t bytes, bool is_signed) noexcept {
  switch (bytes) {
    case 1:
      return is_signed ? ROLLCALL_DATATYPE_I8 : ROLLCALL_DATATYPE_U8;
    case 2:
      return is_signed ? ROLLCALL_DATATYPE_I16 : ROLLCALL_DATATYPE_UNKNOWN;
    case 4:
      return is_signed ? ROLLCALL_DATATYPE_I32 : ROLLCALL_DATATYPE_U32;
    default:
      return is_signed ? ROLLCALL_DATATYPE_I64 : ROLLCALL_DATATYPE_U64;
  }
}

class Probe {
 public:
  Probe(ReduceFunction* function, std::size_t bytes) noexcept : function_(function), bytes_(bytes) {
    for (int type = 0; type < kFloatTypes; ++type) {
      if (kFloatBytes[type] != bytes) continue;
      for (const auto& pair : kFloats)
        Add(type, Encode(type, pair[0]), Encode(type, pair[1]));
    }
    const std::uint64_t mask = Mask();
    for (const auto& pair : kIntegers)
      Add(kFloatTypes, static_cast<std::uint64_t>(pair[0]) & mask,
          static_cast<std::uint64_t>(pair[1]) & mask);
  }

  bool IsFloat(int type, int operation) const noexcept {
    int pair = 0;
    for (int i = 0; i < count_; ++i) {
      if (types_[i] != type) continue;
      const double result = ReduceFloats(operation, kFloats[pair][0], kFloats[pair][1]);
      if (Encode(type, result) != results_[i]) return false;
      ++pair;
    }
    return pair != 0;
  }
  bool IsInteger(int operation, bool is_signed) const noexcept {
    for (int i = 0; i < count_; ++i)
      if (ReduceIntegers(operation, is_signed, static_cast<unsigned>(bytes_ * 8), a_[i], b_[i]) !=
          results_[i])
        return false;
    return true;
  }
  // Of a min or max that fits both.
  bool IsF16(int operation) const noexcept {
    const std::uint64_t expected = operation == kMin ? kNumber : kNanInF16;
    return Call(kNanInF16, kNumber) != expected || Call(kNumber, kNanInF16) != expected;
  }

 private:
  std::uint64_t Mask() const noexcept { return ~std::uint64_t{0} >> (64 - bytes_ * 8); }
  std::uint64_t Call(std::uint64_t a, std::uint64_t b) const noexcept {
    const std::uint64_t left[2] = {a, 0}, right[2] = {b, 0};
    std::uint64_t result[2] = {0, 0};
    function_(result, left, right, 1);
    return result[0] & Mask();
  }
  void Add(int type, std::uint64_t a, std::uint64_t b) noexcept {
    types_[count_] = type;
    a_[count_] = a;
    b_[count_] = b;
    results_[count_++] = Call(a, b);
  }

  ReduceFunction* const function_;
  const std::size_t bytes_;
  int count_ = 0;
  int types_[kMaxPairs];
  std::uint64_t a_[kMaxPairs], b_[kMaxPairs], results_[kMaxPairs];
};

}  // namespace

ReduceName ProbeReduceFunction(ReduceFunction* function, std::size_t element_bytes) noexcept {
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8)
    return {};
  const Probe probe(function, element_bytes);
  ReduceName name;
  int matches = 0;
  bool f16 = false, bf16 = false;
  for (int type = 0; type < kFloatTypes; ++type) {
    for (int operation = 0; operation < kFloatOperations; ++operation) {
      if (!probe.IsFloat(type, operation)) continue;
      f16 = f16 || type == kF16;
      bf16 = bf16 || type == kBf16;
      ++matches;
      name = {kRedops[operation], kFloatDatatypes[type]};
      if (f16 && bf16) {
        matches = 1;
        name.datatype = probe.IsF16(operation) ? ROLLCALL_DATATYPE_F16 : ROLLCALL_DATATYPE_BF16;
      }
    }
  }
  for (int operation = 0; operation < kOperations; ++operation) {
    const bool is_signed = probe.IsInteger(operation, true);
    const bool is_unsigned = probe.IsInteger(operation, false);
    if (!is_signed && !is_unsigned) continue;
    ++matches;
    name = {kRedops[operation], IntegerDatatype(element_bytes, is_signed)};
  }
  return matches == 1 ? name : ReduceName{};
}

}  // namespace rollcall::interpose
