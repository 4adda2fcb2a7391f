// The native stack of the calling thread, from the caller of CaptureNativeStack on.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// NativeStack.id; 0 = none: not recording, or no room. A stack that is known costs tens of
// nanoseconds and takes no lock. Not for signal handlers.
std::uint32_t CaptureNativeStack() noexcept;

}  // namespace rollcall::interpose
