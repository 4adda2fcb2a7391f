// A shape in the file. Called with the recorder's mutex held.
#pragma once

#include "interpose/core/segments.h"
#include "interpose/core/shapes.h"

namespace rollcall::interpose {

// Fills lane and element of a record from its call and its variable fields.
void SetLane(Recorder& recorder, ShapeRecord& shape) noexcept;
// Returns false when it found no room.
bool WriteShape(Recorder& recorder, const ShapeRecord& shape, DefinitionBudget budget) noexcept;

}  // namespace rollcall::interpose
