#include "interpose/python/line_table.h"

#include <cstdint>

namespace rollcall::interpose {
namespace {

constexpr unsigned kNoColumns = 13;
constexpr unsigned kNoLine = 15;

class Reader {
 public:
  Reader(const unsigned char* bytes, std::size_t size) noexcept : bytes_(bytes), size_(size) {}
  bool AtEnd() const noexcept { return at_ >= size_; }
  unsigned Byte() noexcept { return AtEnd() ? 0 : bytes_[at_++]; }
  std::uint32_t Varint() noexcept {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 6) {
      const unsigned byte = Byte();
      if (shift < 32) value |= (byte & 63u) << shift;
      if ((byte & 64u) == 0) return value;
    }
  }
  std::int32_t SignedVarint() noexcept {
    const std::uint32_t value = Varint();
    const std::int32_t magnitude = static_cast<std::int32_t>(value >> 1);
    return (value & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  const unsigned char* bytes_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// Never ahead of the reader: every entry it writes is at most as long as those it was made of.
class Writer {
 public:
  Writer(unsigned char* bytes, std::size_t capacity) noexcept
      : bytes_(bytes), capacity_(capacity) {}
  std::size_t size() const noexcept { return size_; }

  // False: no room.
  bool Entry(unsigned units, bool has_line, std::int32_t step) noexcept {
    unsigned char entry[8];
    std::size_t length = 1;
    entry[0] =
        static_cast<unsigned char>(0x80u | (has_line ? kNoColumns : kNoLine) << 3 | (units - 1));
    if (has_line) {
      std::uint32_t value = step < 0 ? (0u - static_cast<std::uint32_t>(step)) << 1 | 1u
                                     : static_cast<std::uint32_t>(step) << 1;
      for (; value >= 64; value >>= 6)
        entry[length++] = static_cast<unsigned char>(64u | (value & 63u));
      entry[length++] = static_cast<unsigned char>(value);
    }
    if (length > capacity_ - size_) return false;
    for (std::size_t i = 0; i < length; ++i)
      bytes_[size_++] = entry[i];
    return true;
  }

 private:
  unsigned char* bytes_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

std::size_t DropColumns(unsigned char* table, std::size_t bytes, std::size_t capacity) noexcept {
  Reader reader(table, bytes);
  Writer writer(table, capacity);
  unsigned units = 0;  // of the entry that is being joined; 0 = none
  bool has_line = false;
  std::int32_t step = 0;
  while (!reader.AtEnd()) {
    const unsigned head = reader.Byte();
    const unsigned kind = head >> 3 & 15u;
    const unsigned length = (head & 7u) + 1;
    std::int32_t next_step = 0;
    if (kind >= 13 && kind != kNoLine) {
      next_step = reader.SignedVarint();
      for (unsigned i = 0; kind == 14 && i < 3; ++i)
        reader.Varint();
    } else if (kind != kNoLine) {
      if (kind >= 10) next_step = static_cast<std::int32_t>(kind) - 10;
      reader.Byte();
      if (kind >= 10) reader.Byte();
    }
    const bool next_has_line = kind != kNoLine;
    if (units != 0 && next_has_line == has_line && next_step == 0 && units + length <= 8) {
      units += length;
      continue;
    }
    if (units != 0 && !writer.Entry(units, has_line, step)) return writer.size();
    units = length;
    has_line = next_has_line;
    step = next_step;
  }
  if (units != 0) writer.Entry(units, has_line, step);
  return writer.size();
}

}  // namespace

std::size_t ShortenLineTable(int minor, unsigned char* table, std::size_t bytes,
                             std::size_t capacity) noexcept {
  if (bytes <= capacity) return bytes;
  if (minor >= 11) return DropColumns(table, bytes, capacity);
  return minor == 10 ? capacity & ~std::size_t{1} : 0;
}

}  // namespace rollcall::interpose
