// Text of a Python str as UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/python/interpreter.h"
#include "interpose/python/memory.h"

namespace rollcall::interpose {

constexpr std::size_t kMaxTextBytes = 1024;

// Writes at most `capacity` bytes, whole characters; the end of a longer text
// (of a path: what tells it) is kept, its start is given up. Lone surrogates (names that are not
// UTF-8 on disk) become U+FFFD. Returns the number of bytes; false: not a str.
bool ReadPythonText(const Interpreter& python, GuestMemory& memory, std::uintptr_t address,
                    char* text, std::size_t capacity, std::size_t* bytes) noexcept;

}  // namespace rollcall::interpose
