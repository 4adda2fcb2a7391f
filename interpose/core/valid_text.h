// Text of the guest made valid UTF-8: one bad file name would make the whole trace unreadable to
// libprotobuf, which refuses proto3 strings that are not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

// Copies `from` to `to`, each invalid byte as '?', at most `capacity` bytes and never half a
// character. Returns how many bytes were written.
std::size_t CopyValidText(std::uint8_t* to, std::size_t capacity, const void* from,
                          std::size_t bytes) noexcept;

}  // namespace rollcall::interpose
