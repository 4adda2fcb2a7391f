// A std::string of the guest, in either ABI; only read. The hook's name says which one it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interpose/gloo/hooks.h"

namespace rollcall::interpose {

// `string` is the address of the object, also where the function takes it by value.
inline std::string_view ReadString(std::uintptr_t string, std::uint32_t spelling) noexcept {
  const char* const text = *reinterpret_cast<const char* const*>(string);
  const auto* const length = (spelling & kRollcallOldString)
                                 ? reinterpret_cast<const std::size_t*>(text) - 3
                                 : reinterpret_cast<const std::size_t*>(string) + 1;
  return {text, *length};
}

}  // namespace rollcall::interpose
