// Where CPython keeps what a stack is made of: byte offsets in its structures, per minor version.
// 64-bit systems only; the rules of layout are those of x86-64 and aarch64. 3.8 to 3.12: read from
// the headers; 3.13 to 3.15 say it themselves (_Py_DebugOffsets).
#pragma once

#include <cstdint>

namespace rollcall::interpose {

struct PythonLayout {
  int minor = 0;
  bool free_threaded = false;

  // PyThreadState. frame: 3.8-3.10 the frame, 3.11 and 3.12 the C frame, later the interpreter
  // frame.
  std::uint32_t thread_frame = 0;
  std::uint32_t thread_next = 8;
  std::uint32_t thread_pthread = 0;
  std::uint32_t thread_native = 0;  // 0 = no such member (before 3.11)
  bool has_c_frame = false;
  std::uint32_t c_frame_current = 0;
  std::uint32_t thread_interpreter = 0;
  // PyInterpreterState
  std::uint32_t interpreter_threads = 0;
  std::uint32_t interpreter_id = 0;  // a number that is never given twice; 0 = not read

  // PyFrameObject, _PyInterpreterFrame. instruction: an int that counts instructions of
  // instruction_bytes (0 = a pointer into the code). A frame whose owner is shim_owner or more runs
  // no Python.
  std::uint32_t frame_back = 0;
  std::uint32_t frame_code = 0;
  std::uint32_t frame_instruction = 0;
  std::int32_t instruction_bytes = 0;
  std::uint32_t frame_owner = 0;
  std::uint32_t shim_owner = 256;
  std::uint64_t code_tag_bits = 0;  // low bits of frame_code that are no address

  // PyCodeObject
  std::uint32_t code_first_line = 0;
  std::uint32_t code_file = 0;
  std::uint32_t code_name = 0;
  std::uint32_t code_line_table = 0;
  std::uint32_t code_bytes = 0;    // 3.11 and later: the instructions
  std::uint32_t code_version = 0;  // 3.12 and later: differs for every code object

  // Objects, bytes, str
  std::uint32_t object_type = 8;
  std::uint32_t object_size = 16;
  std::uint32_t bytes_data = 32;
  std::uint32_t text_length = 16;
  std::uint32_t text_state = 32;
  std::uint32_t text_ascii_data = 0;
  std::uint32_t text_compact_data = 0;
};

// Bits of a str's state.
constexpr std::uint32_t kTextKindShift = 2;
constexpr std::uint32_t kTextKindMask = 7;
constexpr std::uint32_t kTextCompact = 0x20;
constexpr std::uint32_t kTextAscii = 0x40;

// Fills the layout of CPython 3.`minor`; `runtime` is &_PyRuntime, needed from 3.13 on. False: not
// known.
bool FindPythonLayout(int minor, const void* runtime, PythonLayout* layout) noexcept;

}  // namespace rollcall::interpose
