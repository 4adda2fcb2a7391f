#include "interpose/gloo/flight.h"

#include <string.h>

#include <algorithm>

#include "interpose/gloo/gloo_state.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {

void Flight::Start() noexcept {
  if (!started.exchange(true, std::memory_order_relaxed)) StartCall(row);
}

void Flight::Fail(const char* what, std::size_t bytes) noexcept {
  if (failed.exchange(true, std::memory_order_acq_rel) || what == nullptr) return;
  bytes = std::min(bytes, sizeof text);
  memcpy(text, what, bytes);
  text_bytes = static_cast<std::uint32_t>(bytes);
}

void Flight::Drop() noexcept {
  if (holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (failed.load(std::memory_order_acquire))
    FailCall(row, 0, text_bytes == 0 ? nullptr : text, text_bytes);
  else if (aborted.load(std::memory_order_relaxed))
    EndCallFromOutside(row, ROLLCALL_EVENT_ABORTED);
  else if (unwatched.load(std::memory_order_relaxed))
    UnwatchCall(row);
  else
    CompleteCall(row);
  if (GlooState* const state = State()) state->flights.Give(this);
}

Flight* NewFlight(const Row& row) noexcept {
  GlooState* const state = State();
  Flight* const flight = state == nullptr ? nullptr : state->flights.Take();
  if (flight == nullptr) {
    UnwatchCall(row);
    return nullptr;
  }
  flight->row = row;
  flight->started.store(false, std::memory_order_relaxed);
  flight->failed.store(false, std::memory_order_relaxed);
  flight->unwatched.store(false, std::memory_order_relaxed);
  flight->aborted.store(false, std::memory_order_relaxed);
  flight->text_bytes = 0;
  flight->next = nullptr;
  flight->holders.store(1, std::memory_order_release);
  return flight;
}

}  // namespace rollcall::interpose
