// Which reduce operation and datatype a plain function of Gloo stands for. Its name is local in
// most builds, so it is called once on known elements of our own. For calls without c10d, whose
// options say nothing else.
#pragma once

#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

// `function` is the address of the std::function in the options. Sets redop, datatype and
// redop_function; element_bytes is known.
void ReadReduceFunction(std::uintptr_t function, CallArguments* arguments) noexcept;

}  // namespace rollcall::interpose
