/* Between the wrappers (C frames, which exceptions of the guest cross) and what the recorder does
   around a call (C++, noexcept). A wrapper gathers its arguments as words, calls RollcallEnter, the
   real function, and, whether that returned or threw, RollcallLeave. */
#ifndef ROLLCALL_INTERPOSE_GLOO_HOOKS_H_
#define ROLLCALL_INTERPOSE_GLOO_HOOKS_H_

#include <stdint.h>

#include "interpose/core/real_symbol.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments at most, `this` included. */
enum { kRollcallWords = 7 };

/* What is done around a call; see hooks.cc. */
enum RollcallHandler {
  kRollcallC10dCall,
  kRollcallNextTag,
  kRollcallEnqueue,
  kRollcallExecute,
  kRollcallFinish,
  kRollcallFinishError,
  kRollcallWorkWait,
  kRollcallFinishAndThrow,
  kRollcallGroupConstructor,
  kRollcallGroupDestructor,
  kRollcallReconfigure,
  kRollcallSetGroupName,
  kRollcallPrefixStore,
  kRollcallTcpStore,
  kRollcallGlooPrefixStore,
  kRollcallContextConstructor,
  kRollcallContextDestructor,
  kRollcallConnect,
  kRollcallGlooCollective,
  kRollcallCreateBuffer,
  kRollcallBufferSend,
  kRollcallBufferRecv,
  kRollcallBufferRecvAny,
  kRollcallWaitSend,
  kRollcallWaitRecv,
  kRollcallBufferDestructor,
  kRollcallBackward
};

/* How an argument of the function is spelt; the symbol's name says it. */
enum RollcallSpelling {
  kRollcallNewString = 0,  /* std::string of the C++11 ABI */
  kRollcallOldString = 1,  /* the reference-counted one */
  kRollcallSharedStore = 2 /* gloo: shared_ptr<Store> instead of Store& */
};

/* One intercepted function: a row of a .def file. */
struct RollcallHook {
  struct RollcallRealSymbol real;
  enum RollcallHandler handler;
  uint32_t detail;          /* of a call: ROLLCALL_OPERATION_*; else bits of RollcallSpelling */
  const char* library_name; /* of a call */
};

/* One call that is being made; lives in the wrapper's frame. */
struct RollcallCall {
  struct RollcallHook* hook;
  const uintptr_t* words; /* arguments */
  uintptr_t result;       /* what it returned, or the address where it puts that */
  const void* caller;
  uint32_t returned; /* 0 in RollcallLeave: it threw */
  uint32_t mark;     /* for the handler */
  uint64_t kept[4];  /* for the handler */
};

/* Both keep errno and never throw. */
void RollcallEnter(struct RollcallCall* call);
void RollcallLeave(struct RollcallCall* call);

/* Makes the call in the sret convention of the platform: `result` is where the object is built.
 * Exceptions pass. */
void RollcallForwardToMemory(void* real, void* result, const uintptr_t* words);
/* Around such a call: what wrappers.c has for the others. */
void RollcallThroughMemory(struct RollcallHook* hook, void* result, const uintptr_t* words,
                           const void* caller);

#ifdef __cplusplus
}
#endif

#endif /* ROLLCALL_INTERPOSE_GLOO_HOOKS_H_ */
