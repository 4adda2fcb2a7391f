// What a call of a Gloo function asks for, from its Options object (layouts: stable since June
// 2019, x86-64 and aarch64, libstdc++).
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/core/recorder.h"
#include "interpose/gloo/hooks.h"

namespace rollcall::interpose {

// gloo::Context* of a collective.
std::uintptr_t ContextOf(const RollcallCall& call) noexcept;
void ReadGlooCall(const RollcallCall& call, std::uint32_t size, CallArguments* arguments) noexcept;
// Bytes of a gloo::transport::UnboundBuffer.
std::uint64_t BufferBytes(std::uintptr_t buffer) noexcept;

}  // namespace rollcall::interpose
