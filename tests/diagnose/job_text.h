// A Job from a scenario (tests/README.md has the language): parsed, played, written as traces and
// read back, as `rollcall synth` and `rollcall analyze` do it.
#pragma once

#include <string>

#include "analyzer/model/job.h"

namespace rollcall::tests {

// Throws std::runtime_error with the place of what it does not understand.
analyzer::Job JobFromText(const std::string& text);

// The same job with processes and communicators in another order.
analyzer::Job Shuffled(const analyzer::Job& job, unsigned seed);

}  // namespace rollcall::tests
