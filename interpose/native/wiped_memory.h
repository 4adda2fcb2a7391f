// Memory for what must not survive a fork: the child's trace knows none of the parent's ids, so
// tables of ids have to be empty there. The kernel empties these mappings in the child; nothing has
// to run. Locks that lie in them are open again, too.
#pragma once

#include <cstddef>

namespace rollcall::interpose {

// Zeroed pages, zeroed again in a forked child; null when the system has none. Untouched pages cost
// nothing.
void* MapWipedMemory(std::size_t bytes) noexcept;

// The same for one thread: given back when the thread ends. *owner, a thread-local pointer, is set
// to it, and to null then.
void* MapThreadMemory(std::size_t bytes, void** owner) noexcept;

}  // namespace rollcall::interpose
