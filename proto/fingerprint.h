/* The fingerprint: a prefix hash of the calls of one lane, modulo the prime 2^61-1. C, used by both halves.

   H(0) = 0, H(n) = H(n-1) * B + x(n) with x(n) in 1..2^61-2, so the hash of the calls (a, b] is H(b) - H(a) * B^(b-a): ranks can be
   shown to agree over any interval between two checkpoints without its calls.

   x(n) is made of what must agree between ranks (RollcallFingerprintFields); proto/README.md lists it per operation. */
#ifndef ROLLCALL_PROTO_FINGERPRINT_H_
#define ROLLCALL_PROTO_FINGERPRINT_H_

#include <stdint.h>

#include "proto/trace_fields.h"

#define ROLLCALL_FINGERPRINT_PRIME UINT64_C(0x1fffffffffffffff)
/* B: any number in [2^32, 2^61-1). In Header.multiplier. */
#define ROLLCALL_FINGERPRINT_MULTIPLIER UINT64_C(0x0d1c3a5b7e92f648)

static inline uint64_t RollcallFingerprintMultiply(uint64_t a, uint64_t b) {
  const unsigned __int128 product = (unsigned __int128)a * b;
  uint64_t sum = (uint64_t)(product & ROLLCALL_FINGERPRINT_PRIME) + (uint64_t)(product >> 61);
  if (sum >= ROLLCALL_FINGERPRINT_PRIME) sum -= ROLLCALL_FINGERPRINT_PRIME;
  return sum;
}

/* H(n) from H(n-1) and x(n). */
static inline uint64_t RollcallFingerprintAppend(uint64_t hash, uint64_t element) {
  uint64_t sum = RollcallFingerprintMultiply(hash, ROLLCALL_FINGERPRINT_MULTIPLIER) + element;
  if (sum >= ROLLCALL_FINGERPRINT_PRIME) sum -= ROLLCALL_FINGERPRINT_PRIME;
  return sum;
}

static inline uint64_t RollcallFingerprintPower(uint64_t exponent) {
  uint64_t result = 1, base = ROLLCALL_FINGERPRINT_MULTIPLIER;
  for (; exponent; exponent >>= 1, base = RollcallFingerprintMultiply(base, base))
    if (exponent & 1) result = RollcallFingerprintMultiply(result, base);
  return result;
}

/* Hash of the `calls` calls behind those of `before`, up to those of `after`. */
static inline uint64_t RollcallFingerprintInterval(uint64_t before, uint64_t after, uint64_t calls) {
  uint64_t difference =
      after + ROLLCALL_FINGERPRINT_PRIME - RollcallFingerprintMultiply(before, RollcallFingerprintPower(calls));
  if (difference >= ROLLCALL_FINGERPRINT_PRIME) difference -= ROLLCALL_FINGERPRINT_PRIME;
  return difference;
}

/* Mixes one number after the other (the finaliser of splitmix64). */
static inline uint64_t RollcallFingerprintMix(uint64_t state, uint64_t value) {
  uint64_t z = state + UINT64_C(0x9e3779b97f4a7c15) + value;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline uint64_t RollcallFingerprintElement(uint64_t mixed) {
  return mixed % (ROLLCALL_FINGERPRINT_PRIME - 1) + 1;
}

/* Which fields of a call must agree between the ranks of its communicator. */
enum RollcallAgree {
  kRollcallAgreeCount = 1,
  kRollcallAgreeDatatype = 2, /* and element size */
  kRollcallAgreeRedop = 4,    /* and redop_function */
  kRollcallAgreeRoot = 8
};

static inline unsigned RollcallFingerprintFields(uint32_t operation) {
  switch (operation) {
    case ROLLCALL_OPERATION_ALLREDUCE:
    case ROLLCALL_OPERATION_REDUCESCATTER:
      return kRollcallAgreeCount | kRollcallAgreeDatatype | kRollcallAgreeRedop;
    case ROLLCALL_OPERATION_REDUCE:
      return kRollcallAgreeCount | kRollcallAgreeDatatype | kRollcallAgreeRedop | kRollcallAgreeRoot;
    case ROLLCALL_OPERATION_BROADCAST:
    case ROLLCALL_OPERATION_GATHER:
    case ROLLCALL_OPERATION_SCATTER:
      return kRollcallAgreeCount | kRollcallAgreeDatatype | kRollcallAgreeRoot;
    case ROLLCALL_OPERATION_ALLGATHER:
    case ROLLCALL_OPERATION_SEND:
    case ROLLCALL_OPERATION_RECV:
      return kRollcallAgreeCount | kRollcallAgreeDatatype;
    case ROLLCALL_OPERATION_ALLTOALL: /* counts go by pairs: the analyzer compares splits */
      return kRollcallAgreeDatatype;
    case ROLLCALL_OPERATION_INIT:
    case ROLLCALL_OPERATION_RENDEZVOUS:
      return kRollcallAgreeCount;
    default:
      return 0;
  }
}

struct RollcallFingerprintTuple {
  uint32_t operation, datatype, redop, element_bytes;
  uint64_t redop_function;
  uint64_t count;
  int32_t root; /* -1 = none */
  int32_t reserved;
};

/* x(n) of a call. Fields that need not agree do not count. */
static inline uint64_t RollcallFingerprintOf(const struct RollcallFingerprintTuple* call) {
  const unsigned agree = RollcallFingerprintFields(call->operation);
  /* A receive has the element of its send, so that the two ends of a pair can be compared. */
  const uint32_t operation =
      call->operation == ROLLCALL_OPERATION_RECV ? (uint32_t)ROLLCALL_OPERATION_SEND : call->operation;
  uint64_t state = RollcallFingerprintMix(1, operation);
  if (agree & kRollcallAgreeCount) state = RollcallFingerprintMix(state, call->count);
  if (agree & kRollcallAgreeDatatype) {
    state = RollcallFingerprintMix(state, call->datatype);
    state = RollcallFingerprintMix(state, call->element_bytes);
  }
  if (agree & kRollcallAgreeRedop) {
    state = RollcallFingerprintMix(state, call->redop);
    state = RollcallFingerprintMix(state, call->redop_function);
  }
  if (agree & kRollcallAgreeRoot) state = RollcallFingerprintMix(state, (uint64_t)(uint32_t)call->root + 1);
  return RollcallFingerprintElement(state);
}

#endif /* ROLLCALL_PROTO_FINGERPRINT_H_ */
