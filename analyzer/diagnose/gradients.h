// What a trace says about gradients: backward passes, and the calls that may have reduced what they
// made.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnose/examination.h"

namespace rollcall::analyzer {

// Floating-point contents: what gradients are made of.
bool IsFloating(const Shape& shape);

// Made by the framework inside a backward pass, as DistributedDataParallel reduces its buckets.
bool InBackward(const Examination& exam, int process, const Call& call);

// The call may carry gradients, in whatever way they are exchanged: it brings floating-point
// numbers, more than one, from other ranks together. A broadcast alone does not.
bool MayCarryGradients(const Shape& shape, std::uint64_t count);

// The place with the most passes; null = no pass was counted.
const BackwardSite* MainBackwardSite(const Process& process);

// Ranks of the process's greatest communicator.
int GroupSize(const Process& process);

}  // namespace rollcall::analyzer
