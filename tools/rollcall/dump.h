// rollcall dump: what is in a trace file, for people and for grep.
#pragma once

#include <iosfwd>
#include <string>

namespace rollcall::tools {

// Every packet of the file, one a line, in the order of the file, each with its offset. Damage is
// told where it is, on both streams, and skipped. Returns the exit status: 2 if nothing can be
// read.
int Dump(const std::string& path, std::ostream& out, std::ostream& err);

}  // namespace rollcall::tools
