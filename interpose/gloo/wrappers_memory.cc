// Wrappers of functions that return an object of a class: the caller makes room for it and passes
// its address, in a place of its own (x86-64: in front of `this`; aarch64: register x8) that C
// can't name. A class with a destructor that is returned as a prvalue is built in that place, so a
// constructor is told the address, and copies are never made: the compiler keeps the convention.
//
// Exceptions cross these frames. They hold nothing that has to be cleaned up, and are compiled
// -fno-exceptions with unwind tables: no personality routine, so no libstdc++.
#include <cstdint>
#include <new>

#include "interpose/gloo/hooks.h"
#include "interpose/gloo/mangled_names.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

struct Returned {
  Returned(RollcallHook& hook, const std::uintptr_t* words, const void* caller) {
    RollcallThroughMemory(&hook, this, words, caller);
  }
  // Never defined: what is used must not copy. They make this class one that is returned in memory.
  Returned(const Returned&);
  ~Returned();
};

using Real = Returned(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t,
                      std::uintptr_t, std::uintptr_t, std::uintptr_t);

}  // namespace rollcall::interpose

using rollcall::interpose::Returned;

void RollcallForwardToMemory(void* real, void* result, const std::uintptr_t* words) {
  ::new (result) Returned(reinterpret_cast<rollcall::interpose::Real*>(real)(
      words[0], words[1], words[2], words[3], words[4], words[5], words[6]));
}

#define PARAMETERS_2 std::uintptr_t a, std::uintptr_t b
#define PARAMETERS_3 PARAMETERS_2, std::uintptr_t c
#define PARAMETERS_4 PARAMETERS_3, std::uintptr_t d
#define PARAMETERS_6 PARAMETERS_4, std::uintptr_t e, std::uintptr_t f
#define PARAMETERS_7 PARAMETERS_6, std::uintptr_t g
#define NAMES_2 a, b
#define NAMES_3 NAMES_2, c
#define NAMES_4 NAMES_3, d
#define NAMES_6 NAMES_4, e, f
#define NAMES_7 NAMES_6, g

#define WRAPPER_WORD(...)  // wrappers.c
#define WRAPPER_MEMORY(id, mangled, words, handler, detail, name)                      \
  __attribute__((visibility("default")))                                               \
  Returned RollcallWrapper##id(PARAMETERS_##words) __asm__(mangled);                   \
  Returned RollcallWrapper##id(PARAMETERS_##words) {                                   \
    static RollcallHook hook = {{mangled, nullptr}, kRollcall##handler, detail, name}; \
    const std::uintptr_t all[kRollcallWords] = {NAMES_##words};                        \
    return Returned(hook, all, __builtin_return_address(0));                           \
  }
#define HOOK(id, mangled, result, words, handler, detail, name) \
  WRAPPER_##result(id, mangled, words, handler, detail, name)

#include "interpose/gloo/c10d.def"
#include "interpose/gloo/gloo.def"
#include "interpose/gloo/stores.def"
