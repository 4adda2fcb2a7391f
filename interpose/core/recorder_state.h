// All that the recorder of one trace keeps in memory: one anonymous mapping of zeros, made when the
// trace is opened, so that the library has no state of its own and a forked child has none to undo.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "interpose/core/arena.h"
#include "interpose/core/call_blocks.h"
#include "interpose/core/cell_blocks.h"
#include "interpose/core/communicators.h"
#include "interpose/core/intern_table.h"
#include "interpose/core/lanes.h"
#include "interpose/core/moved_rows.h"
#include "interpose/core/segments.h"
#include "interpose/core/shapes.h"
#include "interpose/core/trace_file.h"

namespace rollcall::interpose {

struct DefinitionCounts {
  std::uint32_t code;
  std::uint32_t python_stacks;
  std::uint32_t native_stacks;
  std::uint32_t threads;
  std::uint32_t settings;
};

struct Recorder {
  pthread_mutex_t mutex;  // all zeros: PTHREAD_MUTEX_INITIALIZER
  TraceFile file;
  Segments definitions;
  EventSegments events;
  CallBlocks calls;
  CellBlocks cells;
  Lanes lanes;
  ShapeTable shapes;
  Communicators communicators;
  InternTable interned;
  DefinitionCounts counts;
  MovedRows moved;
  Arena arena;
  std::uint8_t packet[kMaxPacketBytes];  // for definitions; under the mutex
  std::atomic<std::uint64_t> last_communicator_ns;
  std::uint32_t generation;  // in rows that are handed out: those of a parent are not ours

  pthread_t helper;
  bool has_helper;
  std::atomic<bool> stop_helper;

  // Of the oldest pending row: all rows below are closed. Under the mutex.
  std::uint64_t pending_row;
  std::uint32_t pending_block;  // where it lies, while it is open
};

}  // namespace rollcall::interpose
