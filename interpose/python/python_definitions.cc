// Code objects and stacks, written once each: DefinePythonFrames of python_state.h.
#include <cstdio>
#include <cstring>

#include "interpose/core/recorder.h"
#include "interpose/core/slow_section.h"
#include "interpose/python/line_table.h"
#include "interpose/python/python_state.h"

namespace rollcall::interpose {
namespace {

std::uint64_t HashBytes(std::uint64_t hash, const void* bytes, std::size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  hash = MixHash(hash, size);
  for (; size > 0; at += 8) {
    const std::size_t count = size < 8 ? size : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, count);
    hash = MixHash(hash, word);
    size -= count;
  }
  return hash;
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
  if (first_line < 0) first_line = 0;
  std::uint64_t key = HashBytes(static_cast<std::uint32_t>(first_line), state->file, file_bytes);
  key = HashBytes(HashBytes(key, state->function, function_bytes), table, table_bytes) | 1;
  IdSlot* const slot = state->code_contents.Find(key);
  if (slot->key == 0) {
    if (state->code_contents.IsFull()) {
      *id = 0;
      return true;
    }
    state->code_contents.Fill(
        slot, key,
        DefineCode(state->file, file_bytes, state->function, function_bytes,
                   static_cast<std::uint32_t>(first_line), table, table_bytes));
  }
  *id = slot->id;
  return true;
}

bool FindCodeId(PythonState* state, GuestMemory& memory, const PythonFrame& frame,
                std::uint32_t interpreter, std::uint32_t* id) noexcept {
  const std::uint64_t key = MixHash(MixHash(frame.guard, interpreter), frame.code) | 1;
  const IdSlot* const known = state->codes.Find(key);
  *id = known->id;
  if (known->key != 0) return true;
  if (!DefineCodeObject(state, memory, frame, id)) return false;
  if (state->codes.IsFull()) std::memset(&state->codes, 0, sizeof state->codes);
  state->codes.Fill(state->codes.Find(key), key, *id);
  return true;
}

void CountLostStack(PythonState* state) noexcept {
  const std::uint32_t lost = ++state->stacks_lost;
  if ((lost & (lost - 1)) != 0) return;
  char value[16];
  std::snprintf(value, sizeof value, "%u", lost);
  DefineSetting("python.stacks_lost", value);
}

// PythonStack.id of a stack that is new by place.
std::uint32_t DefineByContents(PythonState* state, const std::uint32_t* codes,
                               const std::int32_t* offsets, const PythonFrames& frames) noexcept {
  std::uint64_t key = HashBytes(frames.truncated ? 1 : 0, codes, frames.count * sizeof *codes);
  key = HashBytes(key, offsets, frames.count * sizeof *offsets) | 1;
  IdSlot* const slot = state->stack_contents.Find(key);
  if (slot->key == 0) {
    bool has_room = !state->stack_contents.IsFull();
    for (std::uint32_t i = 0; i < frames.count; ++i)
      has_room = has_room && codes[i] != 0;
    const std::uint32_t id =
        has_room ? DefinePythonStack(codes, offsets, frames.count, frames.truncated) : 0;
    if (id == 0) CountLostStack(state);
    if (id == 0) return 0;
    state->stack_contents.Fill(slot, key, id);
  }
  return slot->id;
}

}  // namespace

IdSlot* IdTable::Find(std::uint64_t key) noexcept {
  std::uint32_t index = static_cast<std::uint32_t>(key >> 20) % (2 * kMaxIds);
  while (slots[index].key != 0 && slots[index].key != key)
    index = (index + 1) % (2 * kMaxIds);
  return &slots[index];
}

void IdTable::Fill(IdSlot* slot, std::uint64_t key, std::uint32_t id) noexcept {
  slot->key = key;
  slot->id = id;
  ++used;
}

std::uint64_t HashPythonFrames(const PythonFrames& frames) noexcept {
  std::uint64_t hash = 0x243F6A8885A308D3u + 2 * frames.count + (frames.truncated ? 1 : 0);
  hash += std::uint64_t{frames.interpreter} << 32;
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
  if (const IdSlot* const known = state->stacks.Find(hash); known->key != 0) return known->id;
  std::uint32_t codes[kMaxPythonFrames];
  std::int32_t offsets[kMaxPythonFrames];
  const std::uint32_t count = frames->count;
  for (std::uint32_t i = 0; i < count; ++i) {
    offsets[i] = frames->frame[i].offset;
    if (FindCodeId(state, memory, frames->frame[i], frames->interpreter, &codes[i])) continue;
    frames->count = i;
    frames->truncated = true;
    break;
  }
  if (frames->count == 0) return 0;
  const std::uint32_t id = DefineByContents(state, codes, offsets, *frames);
  // A stack that was cut is not what its hash says.
  if (frames->count == count) {
    if (state->stacks.IsFull()) std::memset(&state->stacks, 0, sizeof state->stacks);
    state->stacks.Fill(state->stacks.Find(hash), hash, id);
  }
  return id;
}

}  // namespace rollcall::interpose
