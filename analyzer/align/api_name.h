// What the user called, from the frames of frameworks inside of the user's own: a one-element
// all-reduce may be a barrier, a bucket of gradients comes from a backward pass.
#pragma once

#include <string>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// `user_frame`: index of the user's innermost frame, or the number of frames. "" = unknown. Either
// a dotted name ("torch.distributed.barrier") or, where the user called nothing by that name, words
// ("DistributedDataParallel backward", "SyncBatchNorm forward", "FSDP all-gather").
std::string ApiName(const Stack& stack, int user_frame, Operation operation);

// The function of torch.distributed that is innermost in the stack, "barrier", whoever called it;
// "" = none: a call made by C++.
std::string DistributedFunction(const Stack& stack);

}  // namespace rollcall::analyzer
