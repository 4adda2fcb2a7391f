// Source lines of Python frames, offline: the trace holds a code object's line table as it is, and
// the byte offset of the instruction. Three encodings: co_lnotab (up to 3.9), co_linetable of PEP
// 626 (3.10), location table of PEP 657 (3.11 and later; long ones come as a zero byte and a table
// as of 3.10).
#pragma once

#include "absl/strings/string_view.h"

namespace rollcall::analyzer {

// Line of the instruction at `offset` bytes in a code object of CPython 3.`minor` that starts at
// `first_line`; 0 = it has none, or the table does not reach so far. Any bytes are safe.
int PythonLine(int minor, int first_line, absl::string_view line_table, int offset);

}  // namespace rollcall::analyzer
