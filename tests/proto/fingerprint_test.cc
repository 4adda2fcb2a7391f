// The fingerprint's arithmetic, against plain 128-bit arithmetic.
#include "proto/fingerprint.h"

#include <random>
#include <vector>

#include "tests/catch.h"

namespace {

std::uint64_t PlainMultiply(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b %
                                    ROLLCALL_FINGERPRINT_PRIME);
}

RollcallFingerprintTuple Call(std::uint32_t operation) {
  RollcallFingerprintTuple call = {};
  call.operation = operation;
  call.datatype = ROLLCALL_DATATYPE_F32;
  call.redop = ROLLCALL_REDUCE_OPERATION_SUM;
  call.element_bytes = 4;
  call.count = 100;
  call.root = -1;
  return call;
}

}  // namespace

TEST_CASE("products are those modulo the prime", "[fingerprint]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t a = random() % ROLLCALL_FINGERPRINT_PRIME;
    const std::uint64_t b = random() % ROLLCALL_FINGERPRINT_PRIME;
    REQUIRE(RollcallFingerprintMultiply(a, b) == PlainMultiply(a, b));
  }
  const std::uint64_t last = ROLLCALL_FINGERPRINT_PRIME - 1;
  CHECK(RollcallFingerprintMultiply(last, last) == PlainMultiply(last, last));
}

TEST_CASE("the hash of an interval is that of its calls alone", "[fingerprint]") {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> prefix = {0}, elements;
  for (int i = 0; i < 1000; ++i) {
    elements.push_back(RollcallFingerprintElement(random()));
    prefix.push_back(RollcallFingerprintAppend(prefix.back(), elements.back()));
  }
  for (int i = 0; i < 200; ++i) {
    const std::size_t from = random() % 1000, to = from + random() % (1001 - from);
    std::uint64_t alone = 0;
    for (std::size_t j = from; j < to; ++j)
      alone = RollcallFingerprintAppend(alone, elements[j]);
    REQUIRE(RollcallFingerprintInterval(prefix[from], prefix[to], to - from) == alone);
  }
}

TEST_CASE("an element is in range, also for the extremes", "[fingerprint]") {
  for (const std::uint64_t mixed : {std::uint64_t{0}, ~std::uint64_t{0}, ROLLCALL_FINGERPRINT_PRIME,
                                    ROLLCALL_FINGERPRINT_PRIME - 1}) {
    CHECK(RollcallFingerprintElement(mixed) >= 1);
    CHECK(RollcallFingerprintElement(mixed) < ROLLCALL_FINGERPRINT_PRIME);
  }
}

TEST_CASE("a send and its receive have one element", "[fingerprint]") {
  const auto send = Call(ROLLCALL_OPERATION_SEND), receive = Call(ROLLCALL_OPERATION_RECV);
  CHECK(RollcallFingerprintOf(&send) == RollcallFingerprintOf(&receive));
}

TEST_CASE("what must agree changes the element, what need not does not", "[fingerprint]") {
  const auto allreduce = Call(ROLLCALL_OPERATION_ALLREDUCE);
  auto other = allreduce;
  other.count = 101;
  CHECK(RollcallFingerprintOf(&allreduce) != RollcallFingerprintOf(&other));
  other = allreduce;
  other.redop = ROLLCALL_REDUCE_OPERATION_MAX;
  CHECK(RollcallFingerprintOf(&allreduce) != RollcallFingerprintOf(&other));
  other = allreduce;
  other.root = 3;
  CHECK(RollcallFingerprintOf(&allreduce) == RollcallFingerprintOf(&other));

  const auto broadcast = Call(ROLLCALL_OPERATION_BROADCAST);
  other = broadcast;
  other.root = 3;
  CHECK(RollcallFingerprintOf(&broadcast) != RollcallFingerprintOf(&other));
  other = broadcast;
  other.redop = ROLLCALL_REDUCE_OPERATION_MAX;
  CHECK(RollcallFingerprintOf(&broadcast) == RollcallFingerprintOf(&other));

  auto exchange = Call(ROLLCALL_OPERATION_ALLTOALL);
  other = exchange;
  other.count = 7;
  CHECK(RollcallFingerprintOf(&exchange) == RollcallFingerprintOf(&other));
}
