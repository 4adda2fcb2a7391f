// Makes a scenario that is judged wrongly as small as it can be while it is judged wrongly in the
// same way.
#pragma once

#include "tests/generate/expectation.h"
#include "tests/generate/judge.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

Script Shrink(const Script& script, const Expectation& expectation, const TraceFolder& folder);

}  // namespace rollcall::tests::generate
