// The chain of Python frames of one thread, innermost first.
//
// The calling thread is inside a C call, so nobody changes its chain; frames own their code
// objects, and those own names and line table. So its own frames are read directly, without the
// GIL. Frames of other threads are moving: read them through GuestMemory.
#pragma once

#include <cstdint>

#include "interpose/python/interpreter.h"
#include "interpose/python/memory.h"

namespace rollcall::interpose {

constexpr std::uint32_t kMaxPythonFrames = 128;
// Shims and frames beyond the limit: an end for chains that are none.
constexpr std::uint32_t kMaxPythonHops = 4096;

// Without initialisers, like the array of them below, which is a local of every capture.
struct PythonFrame {
  std::uintptr_t code;
  std::uint64_t guard;  // tells this code object from an earlier one at the same address
  std::int32_t
      offset;  // of the instruction, in bytes; may be negative in a frame that has not begun
};

struct PythonFrames {
  std::uint32_t count;
  std::uint32_t
      interpreter;  // every interpreter counts its code objects by itself; 0 = the main one
  bool truncated;
  bool broken;  // the chain ended in something that is no frame
  PythonFrame frame[kMaxPythonFrames + 1];
};

inline std::uint64_t MixHash(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// A shorter text is followed by bytes that are not its own (but by bytes of its object: every load
// is of mapped memory).
inline std::uint64_t KeepBytes(std::uint64_t word, std::uint64_t bytes) noexcept {
  return bytes >= 8 ? word : word & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

// 3.12 and later: co_version. Before, what differs between code objects that exec made one after
// the other at one address: names, first line, the end of the file's name ("<cell 17>"), and for
// such files the start of the line table.
template <class Memory>
[[gnu::always_inline]] inline bool GuardOfCode(const PythonLayout& layout, Memory& memory,
                                               std::uintptr_t code, std::uint64_t* guard) noexcept {
  std::uint32_t first_line = 0;
  std::uintptr_t file = 0;
  if (!memory.Load(code + layout.code_first_line, &first_line)) return false;
  if (!memory.Load(code + layout.code_file, &file)) return false;
  if (layout.code_version != 0) {
    std::uint32_t version = 0;
    if (!memory.Load(code + layout.code_version, &version)) return false;
    *guard = std::uint64_t{version} << 32 | first_line;
    // 0: the interpreter has run out of versions. Free-threaded: two threads may take one.
    if (version != 0 && !layout.free_threaded) return true;
  }
  std::uint64_t hash = MixHash(first_line, file);
  std::uintptr_t name = 0;
  std::uintptr_t table = 0;
  std::uint64_t length = 0;
  std::uint32_t state = 0;
  if (!memory.Load(code + layout.code_name, &name)) return false;
  if (!memory.Load(code + layout.code_line_table, &table)) return false;
  if (!memory.Load(file + layout.text_length, &length)) return false;
  if (!memory.Load(file + layout.text_state, &state)) return false;
  hash = MixHash(MixHash(MixHash(hash, name), table), length);
  if ((state & (kTextAscii | kTextCompact)) == (kTextAscii | kTextCompact)) {
    const std::uintptr_t text = file + layout.text_ascii_data;
    std::uint64_t tail = 0;
    char first = 0;
    if (!memory.Load(text + (length > 8 ? length - 8 : 0), &tail)) return false;
    if (!memory.Load(text, &first)) return false;
    hash = MixHash(hash, KeepBytes(tail, length));
    if (first == '<') {
      const std::uintptr_t bytes = table + layout.bytes_data;
      std::uint64_t size = 0;
      std::uint64_t start = 0;
      if (!memory.Load(table + layout.object_size, &size)) return false;
      if (!memory.Load(bytes, &start)) return false;
      hash = MixHash(MixHash(hash, size), KeepBytes(start, size));
      if (size > 8 && !memory.Load(bytes + size - 8, &tail)) return false;
      hash = MixHash(hash, tail);
    }
  }
  *guard = hash;
  return true;
}

// One frame: 1 = stored, 0 = runs no Python, -1 = not a frame.
template <class Memory>
[[gnu::always_inline]] inline int ReadPythonFrame(const Interpreter& python, Memory& memory,
                                                  std::uintptr_t address,
                                                  PythonFrame* frame) noexcept {
  const PythonLayout& layout = python.layout;
  std::uintptr_t code = 0;
  std::uintptr_t type = 0;
  std::uint8_t owner = 0;
  if (!memory.Load(address + layout.frame_code, &code)) return -1;
  code &= ~layout.code_tag_bits;
  if (layout.frame_owner != 0 && !memory.Load(address + layout.frame_owner, &owner)) return -1;
  // The lowest frames of 3.13 and later hold None or nothing.
  if (owner >= layout.shim_owner || code == 0) return 0;
  if (!memory.Load(code + layout.object_type, &type)) return -1;
  if (type != python.code_type) return layout.minor >= 13 ? 0 : -1;
  frame->code = code;
  if (layout.instruction_bytes != 0) {
    std::int32_t index = 0;
    if (!memory.Load(address + layout.frame_instruction, &index)) return -1;
    frame->offset = index < 0 ? -1 : index * layout.instruction_bytes;
  } else {
    std::uintptr_t instruction = 0;
    if (!memory.Load(address + layout.frame_instruction, &instruction)) return -1;
    frame->offset = static_cast<std::int32_t>(instruction - (code + layout.code_bytes));
  }
  return GuardOfCode(layout, memory, code, &frame->guard) ? 1 : -1;
}

// Address of the innermost frame; 0 = none.
template <class Memory>
bool FirstPythonFrame(const PythonLayout& layout, Memory& memory, std::uintptr_t thread,
                      std::uintptr_t* frame) noexcept {
  if (!memory.Load(thread + layout.thread_frame, frame)) return false;
  if (!layout.has_c_frame || *frame == 0) return true;
  return memory.Load(*frame + layout.c_frame_current, frame);
}

template <class Memory>
std::uint32_t InterpreterOf(const PythonLayout& layout, Memory& memory,
                            std::uintptr_t thread) noexcept {
  std::uintptr_t interpreter = 0;
  std::int64_t id = 0;
  if (layout.interpreter_id == 0 ||
      !memory.Load(thread + layout.thread_interpreter, &interpreter) || interpreter == 0 ||
      !memory.Load(interpreter + layout.interpreter_id, &id))
    return 0;
  return static_cast<std::uint32_t>(id);
}

template <class Memory>
void WalkPythonFrames(const Interpreter& python, Memory& memory, std::uintptr_t thread,
                      PythonFrames* frames) noexcept {
  frames->count = 0;
  frames->interpreter = InterpreterOf(python.layout, memory, thread);
  frames->truncated = false;
  std::uintptr_t address = 0;
  frames->broken = !FirstPythonFrame(python.layout, memory, thread, &address);
  // A chain that is read while its thread runs may lead back into itself: frames are used again.
  std::uintptr_t passed = 0;
  for (std::uint32_t hops = 0; address != 0 && !frames->broken; ++hops) {
    if (address == passed) {
      frames->broken = true;
      break;
    }
    if ((hops & (hops - 1)) == 0) passed = address;
    // One more than is kept: it tells that there are more.
    const int kind = ReadPythonFrame(python, memory, address, &frames->frame[frames->count]);
    if (kind > 0 && frames->count == kMaxPythonFrames) {
      frames->truncated = true;
      return;
    }
    if (kind > 0) ++frames->count;
    frames->broken = kind < 0 || hops == kMaxPythonHops ||
                     !memory.Load(address + python.layout.frame_back, &address);
  }
  frames->truncated = frames->broken;
}

}  // namespace rollcall::interpose
