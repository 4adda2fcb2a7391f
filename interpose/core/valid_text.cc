#include "interpose/core/valid_text.h"

#include <string.h>

namespace rollcall::interpose {
namespace {

// Bytes of the character that starts at `text`; 0 = none that is valid.
std::size_t CharacterBytes(const std::uint8_t* text, std::size_t left) noexcept {
  const std::uint8_t first = text[0];
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (left < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && text[1] < 0xa0) return 0;  // longer than need be
  if (first == 0xed && text[1] > 0x9f) return 0;  // a surrogate
  if (first == 0xf0 && text[1] < 0x90) return 0;
  if (first == 0xf4 && text[1] > 0x8f) return 0;  // beyond U+10FFFF
  return bytes;
}

}  // namespace

std::size_t CopyValidText(std::uint8_t* to, std::size_t capacity, const void* from,
                          std::size_t bytes) noexcept {
  const auto* const text = static_cast<const std::uint8_t*>(from);
  std::size_t written = 0;
  for (std::size_t i = 0; i < bytes;) {
    const std::size_t character = CharacterBytes(text + i, bytes - i);
    const std::size_t wanted = character ? character : 1;
    if (written + wanted > capacity) break;
    if (character)
      memcpy(to + written, text + i, character);
    else
      to[written] = '?';
    written += wanted;
    i += wanted;
  }
  return written;
}

}  // namespace rollcall::interpose
