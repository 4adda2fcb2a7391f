// The Python stack of the calling thread, without the GIL.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// PythonStack.id; 0 = none: no Python here, no frames on this thread, not recording, or no room. A
// stack that is known costs tens of nanoseconds and takes no lock. Not for signal handlers.
std::uint32_t CapturePythonStack() noexcept;

// Address of the code object that has called native code on this thread; 0 = as above. Not fast.
std::uintptr_t InnermostPythonCode() noexcept;

}  // namespace rollcall::interpose
