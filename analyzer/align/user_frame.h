// Whose code is a frame? Reports point at the user's own line, not at the library that made the
// call for it. A frame is a framework's by its module ("torch/distributed"), never by its location
// alone: users install their packages too.
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Of the standard library: also what merely starts programs, such as a notebook's kernel.
enum class FrameOrigin { kUser, kFramework, kStandardLibrary };

// user_code: a glob (ROLLCALL_USER_CODE) of files that are the user's whatever the table says; "" =
// none.
FrameOrigin OriginOf(const std::string& file, const std::string& user_code);

// Indices of the user's frames in the stack, innermost first. When there are none, those of
// frameworks that stand for the user (a trainer's command line); empty only for a stack without
// frames outside torch and the standard library.
std::vector<int> UserFrames(const Stack& stack, const std::string& user_code);

// The name without what differs between processes: a cell of a notebook has a file in a folder that
// is named after the process.
std::string KnownPath(const std::string& file);

// The path as people know it: relative to the folder when it lies below it, else as recorded.
std::string ShortPath(const std::string& file, const std::string& folder);

}  // namespace rollcall::analyzer
