#include "interpose/gloo/reduce_probe.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "proto/trace_fields.h"
#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

// Half floats as bits: enough for the tests' elements.
float FromF16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const float mantissa = static_cast<float>(bits & 1023) / 1024;
  float value = exponent == 31  ? (mantissa != 0 ? NAN : INFINITY)
                : exponent != 0 ? std::ldexp(1 + mantissa, exponent - 15)
                                : std::ldexp(mantissa, -14);
  return (bits & 0x8000) != 0 ? -value : value;
}
std::uint16_t ToF16(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, 4);
  if ((word & 0x7fffffff) == 0) return static_cast<std::uint16_t>(word >> 16);
  return static_cast<std::uint16_t>(((word >> 16) & 0x8000) | ((((word >> 23) & 255) - 112) << 10) |
                                    ((word >> 13) & 1023));
}
struct F16 {
  std::uint16_t bits;
  operator float() const { return FromF16(bits); }  // NOLINT
  F16() = default;
  F16(float value) : bits(ToF16(value)) {}  // NOLINT
};
struct Bf16 {
  std::uint16_t bits;
  operator float() const {  // NOLINT
    const std::uint32_t word = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
  Bf16() = default;
  Bf16(float value) {  // NOLINT
    std::uint32_t word;
    std::memcpy(&word, &value, 4);
    bits = static_cast<std::uint16_t>(word >> 16);
  }
};

// The type to compute in: probing adds and multiplies bit patterns, and integers must wrap around.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

// As in gloo/math.h.
template <class T, class Combine>
void Reduce(void* result, const void* a, const void* b, std::size_t count, Combine combine) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(result)[i] = combine(static_cast<const T*>(a)[i], static_cast<const T*>(b)[i]);
}
template <class T>
void Sum(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<T>(r, a, b, n, [](T x, T y) { return static_cast<T>(Wide<T>(x) + Wide<T>(y)); });
}
template <class T>
void Product(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<T>(r, a, b, n, [](T x, T y) { return static_cast<T>(Wide<T>(x) * Wide<T>(y)); });
}
template <class T>
void Min(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<T>(r, a, b, n, [](T x, T y) { return y < x ? y : x; });
}
template <class T>
void Max(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<T>(r, a, b, n, [](T x, T y) { return y > x ? y : x; });
}
template <class T>
void Xor(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<T>(r, a, b, n, [](T x, T y) { return static_cast<T>(x ^ y); });
}
void AbsoluteMax(void* r, const void* a, const void* b, std::size_t n) {
  Reduce<float>(r, a, b, n, [](float x, float y) { return std::max(std::fabs(x), std::fabs(y)); });
}

void RequireName(ReduceFunction* function, std::size_t bytes, std::uint32_t redop,
                 std::uint32_t datatype) {
  const ReduceName name = ProbeReduceFunction(function, bytes);
  CHECK(name.redop == redop);
  CHECK(name.datatype == datatype);
}

template <class T>
void RequireNames(std::uint32_t datatype, std::uint32_t datatype_of_sums) {
  INFO(datatype);
  RequireName(Sum<T>, sizeof(T), ROLLCALL_REDUCE_OPERATION_SUM, datatype_of_sums);
  RequireName(Product<T>, sizeof(T), ROLLCALL_REDUCE_OPERATION_PROD, datatype_of_sums);
  RequireName(Min<T>, sizeof(T), ROLLCALL_REDUCE_OPERATION_MIN, datatype);
  RequireName(Max<T>, sizeof(T), ROLLCALL_REDUCE_OPERATION_MAX, datatype);
}

TEST_CASE("reduce functions are named by what they do", "[gloo]") {
  RequireNames<float>(ROLLCALL_DATATYPE_F32, ROLLCALL_DATATYPE_F32);
  RequireNames<double>(ROLLCALL_DATATYPE_F64, ROLLCALL_DATATYPE_F64);
  RequireNames<F16>(ROLLCALL_DATATYPE_F16, ROLLCALL_DATATYPE_F16);
  RequireNames<Bf16>(ROLLCALL_DATATYPE_BF16, ROLLCALL_DATATYPE_BF16);
  RequireNames<std::int8_t>(ROLLCALL_DATATYPE_I8, ROLLCALL_DATATYPE_I8);
  RequireNames<std::int32_t>(ROLLCALL_DATATYPE_I32, ROLLCALL_DATATYPE_I32);
  RequireNames<std::int64_t>(ROLLCALL_DATATYPE_I64, ROLLCALL_DATATYPE_I64);
  // Sums of unsigned integers are those of signed ones, bit for bit.
  RequireNames<std::uint8_t>(ROLLCALL_DATATYPE_U8, ROLLCALL_DATATYPE_I8);
  RequireNames<std::uint64_t>(ROLLCALL_DATATYPE_U64, ROLLCALL_DATATYPE_I64);
  RequireName(Xor<std::int32_t>, 4, ROLLCALL_REDUCE_OPERATION_BXOR, ROLLCALL_DATATYPE_I32);
}

TEST_CASE("a user's own reduce function has no name", "[gloo]") {
  RequireName(AbsoluteMax, 4, ROLLCALL_REDUCE_OPERATION_NONE, ROLLCALL_DATATYPE_UNKNOWN);
  RequireName(Sum<float>, 12, ROLLCALL_REDUCE_OPERATION_NONE, ROLLCALL_DATATYPE_UNKNOWN);
}

}  // namespace
}  // namespace rollcall::interpose
