#include "interpose/python/text.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kChunk = 128;

std::size_t EncodeUtf8(std::uint32_t character, char out[4]) noexcept {
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) character = 0xfffd;
  const auto tail = [character](unsigned shift) {
    return static_cast<char>(0x80 | (character >> shift & 63));
  };
  if (character < 0x80) {
    out[0] = static_cast<char>(character);
    return 1;
  }
  if (character < 0x800) {
    out[0] = static_cast<char>(0xc0 | character >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (character < 0x10000) {
    out[0] = static_cast<char>(0xe0 | character >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | character >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

}  // namespace

bool ReadPythonText(const Interpreter& python, GuestMemory& memory, std::uintptr_t address,
                    char* text, std::size_t capacity, std::size_t* bytes) noexcept {
  const PythonLayout& layout = python.layout;
  *bytes = 0;
  std::uintptr_t type = 0;
  std::int64_t length = 0;
  std::uint32_t state = 0;
  if (!memory.Load(address + layout.object_type, &type) || type != python.text_type) return false;
  if (!memory.Load(address + layout.text_length, &length) || length < 0) return false;
  if (!memory.Load(address + layout.text_state, &state)) return false;
  const std::uint32_t kind = (state >> kTextKindShift) & kTextKindMask;
  if ((state & kTextCompact) == 0 || (kind != 1 && kind != 2 && kind != 4)) return false;
  const bool is_ascii = (state & kTextAscii) != 0;
  const std::uintptr_t data =
      address + (is_ascii ? layout.text_ascii_data : layout.text_compact_data);
  // From the end, so that what is given up is the start; then moved to the front. In chunks: the
  // stack may be small.
  unsigned char chunk[4 * kChunk];
  std::size_t start = capacity;
  for (std::size_t left = static_cast<std::size_t>(length); left > 0;) {
    const std::size_t count = left < kChunk ? left : kChunk;
    left -= count;
    if (!memory.Copy(data + left * kind, chunk, count * kind)) return false;
    for (std::size_t i = count; i-- > 0;) {
      std::uint32_t character = 0;
      char encoded[4];
      std::memcpy(&character, chunk + i * kind, kind);
      const std::size_t size = EncodeUtf8(character, encoded);
      if (size > start) {
        left = 0;
        break;
      }
      start -= size;
      std::memcpy(text + start, encoded, size);
    }
  }
  *bytes = capacity - start;
  std::memmove(text, text + start, *bytes);
  return true;
}

}  // namespace rollcall::interpose
