// How a member's part in a communicator ended before its process did: finalize, destroy, abort.
#pragma once

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

enum class LeaveKind {
  kNot,
  kFinalized,
  kDestroyed,
  kAborted,  // of its own accord
  kGaveUp,   // aborted when a call of its own had not ended for a while: a reaction
  kGone,     // without a call
};

struct Leave {
  LeaveKind kind = LeaveKind::kNot;
  const Call* call = nullptr;  // null = there is none

  bool left() const {
    return kind == LeaveKind::kFinalized || kind == LeaveKind::kDestroyed ||
           kind == LeaveKind::kGone;
  }
};

// handle: index in Process::communicators.
Leave LeaveOf(const Process& process, int handle);

}  // namespace rollcall::analyzer
