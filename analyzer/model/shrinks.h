// A shrink is a position of its survivors only: whoever is left out makes no call there, and goes
// on behind it.
#pragma once

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// Moves the later calls of those that are left out by one position, and notes the shrinks.
void MakeRoomForShrinks(Job& job);

}  // namespace rollcall::analyzer
