// Writing Event messages. Called with the recorder's mutex held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

struct Recorder;

struct EventFields {
  std::uint32_t kind = 0;
  std::uint64_t row = 0;      // number of the row plus 1
  std::uint64_t time_ns = 0;  // 0 = now
  std::int64_t value = 0;
  const void* data = nullptr;
  std::size_t data_bytes = 0;
  std::uint32_t tid = 0;
  std::uint32_t python_stack = 0;
  std::uint32_t native_stack = 0;
};

// Counts the event as lost when it finds no room.
void PutEvent(Recorder& recorder, const EventFields& event) noexcept;

}  // namespace rollcall::interpose
