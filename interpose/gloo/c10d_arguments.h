// What a call of ProcessGroupGloo asks for, from the arguments of the virtual function.
#pragma once

#include "interpose/core/recorder.h"
#include "interpose/gloo/gloo_state.h"
#include "interpose/gloo/hooks.h"

namespace rollcall::interpose {

// Fills all but communicator and stacks. Returns how many tags the call takes.
std::uint32_t ReadC10dCall(const RollcallCall& call, CallArguments* arguments) noexcept;

// Milliseconds that calls of this group wait when they don't say it themselves; 0 = unknown.
std::int64_t GroupTimeout(const void* options) noexcept;

}  // namespace rollcall::interpose
