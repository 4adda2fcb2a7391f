/* The functions that a program calls in place of Gloo's and c10d's. C with -fexceptions: an
   exception of the guest runs the cleanup and passes. Arguments are integers and addresses, so they
   are handed on as words: a register holds a narrower argument as well, and more words than a
   function takes do no harm on x86-64 and aarch64. */
#include <stddef.h>

#include "interpose/gloo/hooks.h"
#include "interpose/gloo/mangled_names.h"
#include "proto/trace_fields.h"

typedef uintptr_t Real(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static uintptr_t Through(struct RollcallHook* hook, const uintptr_t* words, const void* caller) {
  Real* const real = (Real*)RollcallFindReal(&hook->real, caller);
  if (real == NULL) return 0;
  struct RollcallCall call
      __attribute__((cleanup(RollcallLeave))) = {.hook = hook, .words = words, .caller = caller};
  RollcallEnter(&call);
  call.result = real(words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
  call.returned = 1;
  return call.result;
}

void RollcallThroughMemory(struct RollcallHook* hook, void* result, const uintptr_t* words,
                           const void* caller) {
  void* const real = RollcallFindReal(&hook->real, caller);
  if (real == NULL) {
    *(void**)result = NULL; /* an empty smart pointer */
    return;
  }
  struct RollcallCall call __attribute__((cleanup(RollcallLeave))) = {
      .hook = hook, .words = words, .result = (uintptr_t)result, .caller = caller};
  RollcallEnter(&call);
  RollcallForwardToMemory(real, result, words);
  call.returned = 1;
}

#define PARAMETERS_1 uintptr_t a
#define PARAMETERS_2 PARAMETERS_1, uintptr_t b
#define PARAMETERS_3 PARAMETERS_2, uintptr_t c
#define PARAMETERS_4 PARAMETERS_3, uintptr_t d
#define PARAMETERS_5 PARAMETERS_4, uintptr_t e
#define NAMES_1 a
#define NAMES_2 a, b
#define NAMES_3 a, b, c
#define NAMES_4 a, b, c, d
#define NAMES_5 a, b, c, d, e

#define WRAPPER_MEMORY(...) /* wrappers_memory.cc */
#define WRAPPER_WORD(id, mangled, words, handler_, detail_, name_)                            \
  uintptr_t RollcallWrapper##id(PARAMETERS_##words) __asm__(mangled)                          \
      __attribute__((visibility("default")));                                                 \
  uintptr_t RollcallWrapper##id(PARAMETERS_##words) {                                         \
    static struct RollcallHook hook = {{mangled, NULL}, kRollcall##handler_, detail_, name_}; \
    const uintptr_t all[kRollcallWords] = {NAMES_##words};                                    \
    return Through(&hook, all, __builtin_return_address(0));                                  \
  }
#define HOOK(id, mangled, result, words, handler, detail, name) \
  WRAPPER_##result(id, mangled, words, handler, detail, name)

#include "interpose/gloo/c10d.def"
#include "interpose/gloo/gloo.def"
#include "interpose/gloo/stores.def"
