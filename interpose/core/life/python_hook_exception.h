// An exception as the trace tells it: "Type: text" as the last line of a traceback has it, and the
// stack where it was raised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/core/life/python_hook_api.h"

namespace rollcall::interpose {

// Writes at most `capacity` bytes of valid UTF-8, whole characters. The type alone unless
// `with_text`, which calls str() on the exception, as the traceback will. Leaves no error set. With
// the GIL held.
std::size_t DescribeException(const PythonApi& api, PythonObject* type, PythonObject* value,
                              bool with_text, char* text, std::size_t capacity) noexcept;

// PythonStack.id of the frames of a traceback, innermost first; 0 = unknown. With the GIL held.
std::uint32_t DefineTracebackStack(const PythonApi& api, PythonObject* traceback) noexcept;

// Whether the code object at an address was running where a traceback ends. With the GIL held.
bool IsRaisedIn(const PythonApi& api, PythonObject* traceback, std::uintptr_t code) noexcept;

}  // namespace rollcall::interpose
