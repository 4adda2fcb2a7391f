// What a rendezvous or the construction of a group failed with: the recorder sees that it threw,
// and often not what. The exception that ended the process says it, if it came out of that call.
#pragma once

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

void SetTextOfFailedStart(Process& process);

}  // namespace rollcall::analyzer
