#include "interpose/core/events.h"

#include "interpose/core/clock.h"
#include "interpose/core/recorder_state.h"
#include "interpose/core/wire_writer.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMostData = 4096;  // a full list of splits or members may be cut

}  // namespace

void PutEvent(Recorder& recorder, const EventFields& event) noexcept {
  std::uint8_t buffer[kMostData + 128];
  WireWriter message(buffer, sizeof buffer);
  message.Number(ROLLCALL_Event_kind, event.kind);
  message.Fixed64(ROLLCALL_Event_row, event.row);
  message.Fixed64(ROLLCALL_Event_time_ns, event.time_ns ? event.time_ns : MonotonicNow());
  message.Number(ROLLCALL_Event_value, WireWriter::ZigZag(event.value));
  message.Bytes(ROLLCALL_Event_data, event.data,
                event.data_bytes < kMostData ? event.data_bytes : kMostData);
  message.Number(ROLLCALL_Event_tid, event.tid);
  message.Number(ROLLCALL_Event_python_stack, event.python_stack);
  message.Number(ROLLCALL_Event_native_stack, event.native_stack);
  if (message.overflowed() || !AppendEvent(recorder, message.data(), message.size()))
    __atomic_fetch_add(&State(recorder.file).lost_events, 1, __ATOMIC_RELAXED);
}

}  // namespace rollcall::interpose
