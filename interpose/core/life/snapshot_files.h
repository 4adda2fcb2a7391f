// Which files does the process hold open for writing? Two ranks with one output file, or a
// checkpoint that one rank still writes, explain hangs.
#pragma once

#include <cstddef>

namespace rollcall::interpose {

// Regular files that still have a name, but for the trace itself and the standard streams. At most
// `most` of them.
void ForEachFileOpenForWriting(int most,
                               void (*visit)(const char* path, std::size_t bytes)) noexcept;

}  // namespace rollcall::interpose
