// Groups: c10d process groups and Gloo contexts, with the path of the store in which their members
// met.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpose/core/recorder.h"
#include "interpose/gloo/gloo_state.h"

namespace rollcall::interpose {

// The store at `store` prefixes the keys of `parent` (or of none).
void AddPrefix(std::uintptr_t store, std::uintptr_t parent, std::string_view prefix) noexcept;
// A store without prefix at an address that may have belonged to another one.
void ForgetStore(std::uintptr_t store) noexcept;
// "" = none known. Ends with '|' else.
const char* StorePath(std::uintptr_t store) noexcept;

// What torch calls the group with this store: the path's last part that is no device.
std::string_view NameInPath(std::string_view path) noexcept;

Group* NewGroup(std::uintptr_t store, std::uint32_t rank, std::uint32_t size,
                const void* options) noexcept;
// The id of the group's communicator, defined at the first call; 0 = not recording, or a null
// group.
std::uint32_t CommunicatorOf(Group* group) noexcept;

}  // namespace rollcall::interpose
