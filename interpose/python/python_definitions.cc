// Code objects and stacks, written once each: DefinePythonFrames of python_state.h.
#include <cstdio>

#include "interpose/core/recorder.h"
#include "interpose/core/slow_section.h"
#include "interpose/python/line_table.h"
#include "interpose/python/python_state.h"

namespace rollcall::interpose {
namespace {

// The slot of `key`, or the free one where it belongs.
IdSlot* FindSlot(IdSlot* slots, std::uint32_t capacity, std::uint64_t key) noexcept {
  std::uint32_t index = static_cast<std::uint32_t>(key >> 20) & (capacity - 1);
  while (slots[index].key != 0 && slots[index].key != key)
    index = (index + 1) & (capacity - 1);
  return &slots[index];
}

// The table, or its start, in state->line_table; false: not readable.
bool ReadLineTable(PythonState* state, GuestMemory& memory, std::uintptr_t code,
                   std::size_t* bytes) noexcept {
  const PythonLayout& layout = state->python.layout;
  std::uintptr_t table = 0;
  std::uintptr_t type = 0;
  std::int64_t size = -1;
  if (!memory.Load(code + layout.code_line_table, &table)) return false;
  if (!memory.Load(table + layout.object_type, &type) || type != state->python.bytes_type)
    return false;
  if (!memory.Load(table + layout.object_size, &size) || size < 0) return false;
  *bytes = static_cast<std::size_t>(size);
  if (*bytes > sizeof state->line_table) *bytes = sizeof state->line_table;
  return memory.Copy(table + layout.bytes_data, state->line_table, *bytes);
}

// CodeObject.id of a code object that is new; 0 = no room. False: not readable, or changed
// meanwhile (another thread's).
bool DefineCodeObject(PythonState* state, GuestMemory& memory, const PythonFrame& frame,
                      std::uint32_t* id) noexcept {
  const Interpreter& python = state->python;
  const PythonLayout& layout = python.layout;
  std::uintptr_t file = 0;
  std::uintptr_t function = 0;
  std::int32_t first_line = 0;
  std::size_t file_bytes = 0;
  std::size_t function_bytes = 0;
  std::size_t table_bytes = 0;
  if (!memory.Load(frame.code + layout.code_first_line, &first_line)) return false;
  if (!memory.Load(frame.code + layout.code_file, &file)) return false;
  if (!memory.Load(frame.code + layout.code_name, &function)) return false;
  if (!ReadPythonText(python, memory, file, state->file, sizeof state->file, &file_bytes))
    return false;
  if (!ReadPythonText(python, memory, function, state->function, sizeof state->function,
                      &function_bytes)) {
    return false;
  }
  if (!ReadLineTable(state, memory, frame.code, &table_bytes)) return false;
  std::uint64_t guard = 0;
  memory.Forget();
  if (!GuardOfCode(layout, memory, frame.code, &guard) || guard != frame.guard) return false;
  const unsigned char* table = state->line_table;
  if (table_bytes > kMaxLineTableBytes) {
    table = state->short_table;
    table_bytes = ShortenLineTable(layout.minor, state->line_table, table_bytes, state->short_table,
                                   kMaxLineTableBytes);
    // Without its table a long function of 3.8 or 3.9 has no lines at all, rather than wrong ones.
    if (table_bytes == 0) first_line = 0;
  }
  *id = DefineCode(state->file, file_bytes, state->function, function_bytes,
                   first_line < 0 ? 0 : static_cast<std::uint32_t>(first_line), table, table_bytes);
  return true;
}

bool FindCodeId(PythonState* state, GuestMemory& memory, const PythonFrame& frame,
                std::uint32_t* id) noexcept {
  const std::uint64_t key = MixHash(MixHash(frame.guard, frame.code), 1) | 1;
  IdSlot* const slot = FindSlot(state->codes, 2 * kMaxCodeObjects, key);
  if (slot->key == 0) {
    if (state->codes_used == kMaxCodeObjects) {
      *id = 0;
      return true;
    }
    std::uint32_t fresh = 0;
    if (!DefineCodeObject(state, memory, frame, &fresh)) return false;
    *slot = IdSlot{key, fresh};
    ++state->codes_used;
  }
  *id = slot->id;
  return true;
}

void CountLostStack(PythonState* state) noexcept {
  const std::uint32_t lost = ++state->stacks_lost;
  if ((lost & (lost - 1)) != 0) return;
  char value[16];
  std::snprintf(value, sizeof value, "%u", lost);
  DefineSetting("python.stacks_lost", value);
}

}  // namespace

std::uint64_t HashPythonFrames(const PythonFrames& frames) noexcept {
  std::uint64_t hash = 0x243F6A8885A308D3u + 2 * frames.count + (frames.truncated ? 1 : 0);
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    const PythonFrame& frame = frames.frame[i];
    const std::uint64_t offset = static_cast<std::uint32_t>(frame.offset);
    hash = MixHash(hash + frame.guard, frame.code + (offset << 40 | offset));
  }
  return hash | 1;
}

std::uint32_t DefinePythonFrames(PythonState* state, GuestMemory& memory, PythonFrames* frames,
                                 std::uint64_t hash) noexcept {
  const SlowSection section(state->mutex);
  IdSlot* const slot = FindSlot(state->stacks, 2 * kMaxPythonStacks, hash);
  if (slot->key != 0) return slot->id;
  if (state->stacks_used == kMaxPythonStacks) {
    CountLostStack(state);
    return 0;
  }
  std::uint32_t codes[kMaxPythonFrames];
  std::int32_t offsets[kMaxPythonFrames];
  bool is_whole = true;
  bool has_room = true;
  for (std::uint32_t i = 0; i < frames->count; ++i) {
    is_whole = FindCodeId(state, memory, frames->frame[i], &codes[i]);
    if (!is_whole) {
      frames->count = i;
      frames->truncated = true;
      break;
    }
    offsets[i] = frames->frame[i].offset;
    has_room = has_room && codes[i] != 0;
  }
  if (frames->count == 0) return 0;
  const std::uint32_t id =
      has_room ? DefinePythonStack(codes, offsets, frames->count, frames->truncated) : 0;
  if (id == 0) CountLostStack(state);
  // A stack that was cut is not what its hash says.
  if (is_whole) {
    *slot = IdSlot{hash, id};
    ++state->stacks_used;
  }
  return id;
}

}  // namespace rollcall::interpose
