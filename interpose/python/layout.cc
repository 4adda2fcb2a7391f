#include "interpose/python/layout.h"

#include <cstring>

namespace rollcall::interpose {
namespace {

void SetOldLayout(int minor, PythonLayout* layout) noexcept {
  layout->thread_frame = 24;
  layout->thread_pthread = 176;
  layout->interpreter_threads = 8;
  layout->frame_back = 24;
  layout->frame_code = 32;
  layout->frame_instruction = minor == 10 ? 96 : 104;
  layout->instruction_bytes = minor == 10 ? 2 : 1;
  layout->code_first_line = 40;
  layout->code_file = 104;
  layout->code_name = 112;
  layout->code_line_table = 120;
  layout->text_ascii_data = 48;
  layout->text_compact_data = 72;
}

void Set311Layout(PythonLayout* layout) noexcept {
  layout->thread_frame = 56;
  layout->thread_pthread = 152;
  layout->thread_native = 160;
  layout->interpreter_threads = 16;
  layout->has_c_frame = true;
  layout->c_frame_current = 8;
  layout->frame_back = 48;
  layout->frame_code = 32;
  layout->frame_instruction = 56;
  layout->frame_owner = 69;
  layout->code_first_line = 72;
  layout->code_file = 112;
  layout->code_name = 128;  // co_qualname
  layout->code_line_table = 136;
  layout->code_bytes = 184;
  layout->text_ascii_data = 48;
  layout->text_compact_data = 72;
}

void Set312Layout(PythonLayout* layout) noexcept {
  Set311Layout(layout);
  layout->thread_pthread = 136;
  layout->thread_native = 144;
  layout->thread_interpreter = 16;
  layout->interpreter_threads = 72;
  layout->interpreter_id = 8;
  layout->c_frame_current = 0;
  layout->frame_back = 8;
  layout->frame_code = 0;
  layout->frame_owner = 70;
  layout->shim_owner = 3;
  layout->code_first_line = 68;
  layout->code_bytes = 192;
  layout->code_version = 92;
  layout->text_ascii_data = 40;
  layout->text_compact_data = 56;
}

// _Py_DebugOffsets as 64-bit words: cookie, version, free_threaded, then one section per structure.
// Sections grow with minor versions, so their lengths are given per minor.
class DebugOffsets {
 public:
  explicit DebugOffsets(const void* runtime) noexcept : words_(static_cast<const char*>(runtime)) {}

  std::uint64_t Word(std::uint32_t index) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, words_ + 8 * std::size_t{index}, sizeof word);
    return word;
  }
  // Starts the next section, of `length` words.
  void Section(std::uint32_t length) noexcept {
    section_ = next_;
    next_ += length;
  }
  std::uint32_t operator[](std::uint32_t index) const noexcept {
    return static_cast<std::uint32_t>(Word(section_ + index));
  }

 private:
  const char* words_;
  std::uint32_t section_ = 0;
  std::uint32_t next_ = 3;
};

// Lengths of the sections in front of what is needed, in their order; 0 = not there.
struct DebugSections {
  std::uint32_t runtime, interpreter, thread, exception, frame, code, object, type, heap_type;
  std::uint32_t tuple, list, set, dict, floating, integer, bytes;
};
constexpr DebugSections kDebugSections[] = {
    {3, 13, 9, 0, 6, 10, 2, 4, 0, 3, 3, 0, 3, 2, 3, 3},   // 3.13
    {3, 16, 9, 0, 8, 11, 2, 4, 0, 3, 3, 4, 3, 2, 3, 3},   // 3.14
    {3, 16, 16, 1, 8, 11, 2, 6, 2, 3, 3, 4, 3, 2, 3, 3},  // 3.15
};
constexpr int kFirstDebugMinor = 13;
constexpr int kLastDebugMinor = 15;

void ReadDebugSections(int minor, DebugOffsets* from, PythonLayout* layout) noexcept {
  DebugOffsets& offsets = *from;
  const DebugSections& lengths = kDebugSections[minor - kFirstDebugMinor];
  offsets.Section(lengths.runtime);
  offsets.Section(lengths.interpreter);
  layout->interpreter_id = offsets[1];
  layout->interpreter_threads = offsets[3];
  offsets.Section(lengths.thread);
  const std::uint32_t identity = minor >= 15 ? 8 : 5;  // three more members in front
  layout->thread_next = offsets[2];
  layout->thread_interpreter = offsets[3];
  layout->thread_frame = offsets[4];
  layout->thread_pthread = offsets[identity];
  layout->thread_native = offsets[identity + 1];
  offsets.Section(lengths.exception);
  offsets.Section(lengths.frame);
  layout->frame_back = offsets[1];
  layout->frame_code = offsets[2];
  layout->frame_instruction = offsets[3];
  layout->frame_owner = offsets[5];
  offsets.Section(lengths.code);
  layout->code_file = offsets[1];
  layout->code_name = offsets[3];
  layout->code_line_table = offsets[4];
  layout->code_first_line = offsets[5];
  layout->code_bytes = offsets[9];
  // Not told; five ints and the version follow the first line in all of them.
  layout->code_version = layout->code_first_line + 24;
  offsets.Section(lengths.object);
  layout->object_type = offsets[1];
  offsets.Section(lengths.type);
  offsets.Section(lengths.heap_type);
  offsets.Section(lengths.tuple);
  offsets.Section(lengths.list);
  offsets.Section(lengths.set);
  offsets.Section(lengths.dict);
  offsets.Section(lengths.floating);
  offsets.Section(lengths.integer);
  offsets.Section(lengths.bytes);
  layout->object_size = offsets[1];
  layout->bytes_data = offsets[2];
  offsets.Section(4);  // str; 3.15 has one more, which is not needed
  layout->text_state = offsets[1];
  layout->text_length = offsets[2];
  layout->text_ascii_data = offsets[3];
  layout->text_compact_data = layout->text_ascii_data + 16;
}

bool SetDebugLayout(int minor, const void* runtime, PythonLayout* layout) noexcept {
  if (runtime == nullptr || std::memcmp(runtime, "xdebugpy", 8) != 0) return false;
  DebugOffsets offsets(runtime);
  if (static_cast<int>((offsets.Word(1) >> 16) & 0xff) != minor) return false;
  layout->free_threaded = offsets.Word(2) != 0;
  layout->shim_owner = 3;
  if (minor >= 14) layout->code_tag_bits = 3;
  // From 3.14 on a thread runs its own copy of the instructions, and text is laid out otherwise:
  // nobody has tried it on one.
  if (minor >= 14 && layout->free_threaded) return false;
  ReadDebugSections(minor, &offsets, layout);
  return true;
}

}  // namespace

bool FindPythonLayout(int minor, const void* runtime, PythonLayout* layout) noexcept {
  *layout = PythonLayout{};
  layout->minor = minor;
  if (minor >= 8 && minor <= 10) {
    SetOldLayout(minor, layout);
  } else if (minor == 11) {
    Set311Layout(layout);
  } else if (minor == 12) {
    Set312Layout(layout);
  } else if (minor >= kFirstDebugMinor && minor <= kLastDebugMinor) {
    return SetDebugLayout(minor, runtime, layout);
  } else {
    return false;
  }
  return true;
}

}  // namespace rollcall::interpose
