// A Job from a few lines of the scenario language (tests/README.md has its grammar; this is the
// part of it that the analyzer's unit tests use): what every rank does, one statement a line.
// Gloo's way: a call blocks until all members are in it.
//
//   world 4
//   comm tp 0,1
//   0-3: allreduce 1024 f32 sum @train.py:41 in main x100
//   2: exit 0
//   0,1,3: barrier @train.py:57
//
// Statements: the collectives (count datatype redop root=K), send to=K tag=N and recv from=K (not
// played), rendezvous size=N, exit CODE, raise
// "Type: text", signal NAME, vanish, absent, busy @file:line, late SECONDS. Modifiers: on NAME, in
// f>g>h, @file:line, xN, !completed, !failed, !entered; `;` between statements.
#pragma once

#include <string>

#include "analyzer/model/job.h"

namespace rollcall::tests {

// Throws std::runtime_error with the line for what it does not understand.
analyzer::Job JobFromText(const std::string& text);

// The same job with processes and communicators in another order.
analyzer::Job Shuffled(const analyzer::Job& job, unsigned seed);

}  // namespace rollcall::tests
