// Where the trace of this process goes: the job's folder and the file's name.
#pragma once

#include <cstddef>

namespace rollcall::interpose {

// Chooses and creates the folder: `setting` where it is not null (made with its parents, used as it
// is when it is there), else ${TMPDIR:-/tmp}/rollcall-<uid>/<job>, which must be ours alone: others
// can write to /tmp and could have laid a link there. Returns 0 or an errno; EPERM = the folder is
// not ours. `folder` has the choice either way.
int MakeTraceFolder(const char* setting, char* folder, std::size_t capacity) noexcept;

// <host>.<pid>.<start time>[.<attempt>].rollcall
void PutTraceName(unsigned attempt, char* name, std::size_t capacity) noexcept;

}  // namespace rollcall::interpose
