// The CPython of this process, found by symbol at run time: the shim links none and serves all. It
// may come long after the shim, in a static executable, in libpython, or in a libpython that a host
// program loaded RTLD_LOCAL.
#pragma once

#include <cstdint>

#include "interpose/python/layout.h"

namespace rollcall::interpose {

struct Interpreter {
  PythonLayout layout;
  std::uintptr_t code_type = 0;
  std::uintptr_t text_type = 0;
  std::uintptr_t bytes_type = 0;
  // Neither needs the GIL: pthread_getspecific, and plain loads.
  void* (*this_thread_state)() = nullptr;
  int (*is_finalizing)() = nullptr;  // null: not known
  void* (*main_interpreter)() = nullptr;
  char version[40] = "";  // three ints, as the compiler counts them
};

enum class FindResult { kFound, kAbsent, kUnsupported };

// Not cheap: walks symbol tables. Unsupported: `why`, a literal, says what; version is set in any
// case but kAbsent.
FindResult FindInterpreter(Interpreter* interpreter, const char** why) noexcept;

}  // namespace rollcall::interpose
