// Ids of native stacks, process wide: a stack is defined once, behind the lines of the module table
// that it needs.
#pragma once

#include <cstdint>

#include "interpose/native/unwind.h"

namespace rollcall::interpose {

// Changes when something was unloaded: the same addresses may be another stack then. Ids of another
// generation are void.
std::uint32_t NativeGeneration() noexcept;

// NativeStack.id, defined if it is new; 0 = no room. generation: the one that the id belongs to.
std::uint32_t DefineNativeFrames(const NativeFrames& frames, std::uint32_t* generation) noexcept;

// A stack that the memo had wrong: counted in the trace.
void CountMemoDisagreement() noexcept;

}  // namespace rollcall::interpose
