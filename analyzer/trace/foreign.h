// What a file is that is no trace, by its first bytes: for messages.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace rollcall::analyzer {

// "text", "a Python pickle (a dump of Flight Recorder?)"; "" = no idea.
std::string GuessContents(absl::string_view head);

}  // namespace rollcall::analyzer
