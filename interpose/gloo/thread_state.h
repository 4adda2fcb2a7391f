// Where the calling thread is among the hooked functions. Constant-initialised, in the static block
// of thread-local storage: no allocation at the first use in a thread.
#pragma once

#include <cstdint>

#include "interpose/gloo/flight.h"
#include "interpose/gloo/gloo_state.h"
#include "interpose/gloo/hooks.h"

namespace rollcall::interpose {

struct ThreadState {
  // The outermost c10d call of this thread, and its row once it has one. inside counts nested ones.
  std::uint32_t inside;
  const RollcallCall* outer;
  Flight* flight;
  // A tag was taken by a call that no hook knows; goes to the work that is enqueued next.
  Flight* orphan;

  // A worker: the work that it carries out.
  std::uint32_t executing;
  std::uintptr_t work;
  Flight* work_flight;

  // Gloo collectives around us: what they call in turn is theirs.
  std::uint32_t collectives;
  // SendWork::wait or RecvWork::wait is around us; what failed in it and waits for its text.
  std::uint32_t waiting;
  Flight* failing;

  // The group that is being constructed here, and the last one that was: a name may follow.
  Group* constructing;
  Group* unnamed;

  std::uint32_t backward;
};

extern __attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState thread_state;

}  // namespace rollcall::interpose
