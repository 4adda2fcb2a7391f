// Communicators as the recorder keeps them: to count occurrences, to write a name that is learned
// later, and to know the position of the last call.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {

struct Recorder;

constexpr std::uint32_t kMaxCommunicators = 16384;

struct CommunicatorRecord {
  CommunicatorArguments arguments;  // texts point behind the record, into the arena
  std::uint32_t occurrence;
  // thread << 44 | the position its next call has if nothing intervenes; 0 = no call yet.
  std::atomic<std::uint64_t> expected;
  std::atomic<std::uint64_t> position_block;  // sequence of the block with its last CELL_POSITION
};

struct Communicators {
  CommunicatorRecord* by_id[kMaxCommunicators + 1];
  std::uint32_t count;
};

// Whether the row of this call needs a CELL_POSITION. A row without one has the position behind
// that of the same thread's row before it in this communicator, in the same block. The row must be
// claimed.
bool NeedsPosition(CommunicatorRecord& communicator, std::uint32_t thread, std::uint64_t sequence,
                   std::uint64_t position, std::uint32_t tags_taken) noexcept;

}  // namespace rollcall::interpose
