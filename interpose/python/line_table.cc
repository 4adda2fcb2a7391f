#include "interpose/python/line_table.h"

#include <cstdint>
#include <cstring>

namespace rollcall::interpose {
namespace {

// Reader of the location table of PEP 657; any bytes are safe.
class Locations {
 public:
  Locations(const unsigned char* bytes, std::size_t size) noexcept : bytes_(bytes), size_(size) {}
  bool AtEnd() const noexcept { return at_ >= size_; }

  // Bytes of code of the next entry; its line is `step` away from the one before.
  unsigned Next(bool* has_line, std::int32_t* step) noexcept {
    const unsigned head = Byte();
    const unsigned kind = head >> 3 & 15u;
    *has_line = kind != 15;
    *step = 0;
    if (kind == 13 || kind == 14) {
      *step = SignedVarint();
      for (int i = 0; kind == 14 && i < 3; ++i)
        Varint();
    } else if (kind >= 10 && kind != 15) {
      *step = static_cast<std::int32_t>(kind) - 10;
      Byte();
      Byte();
    } else if (kind < 10) {
      Byte();
    }
    return 2 * ((head & 7u) + 1);
  }

 private:
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
    const auto magnitude = static_cast<std::int32_t>(value >> 1);
    return (value & 1) != 0 ? -magnitude : magnitude;
  }

  const unsigned char* bytes_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// Pairs (length, line step) as in 3.10; the step comes before the range, -128 = no line.
class Ranges {
 public:
  static constexpr int kMaxStep = 127;
  static constexpr int kNoLine = -128;

  Ranges(unsigned char* bytes, std::size_t capacity) noexcept
      : bytes_(bytes), capacity_(capacity) {}
  std::size_t size() const noexcept { return size_; }

  // False: no room.
  bool Add(unsigned length, bool has_line, std::int32_t step) noexcept {
    while (has_line && (step > kMaxStep || step < -kMaxStep)) {
      const int part = step > 0 ? kMaxStep : -kMaxStep;
      if (!Pair(0, part)) return false;
      step -= part;
    }
    return Pair(length, has_line ? step : kNoLine);
  }

 private:
  bool Pair(unsigned length, int step) noexcept {
    if (capacity_ - size_ < 2) return false;
    bytes_[size_++] = static_cast<unsigned char>(length);
    bytes_[size_++] = static_cast<unsigned char>(step);
    return true;
  }

  unsigned char* bytes_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

std::size_t WriteRanges(Locations locations, unsigned char* bytes, std::size_t capacity) noexcept {
  constexpr unsigned kMaxLength = 254;
  Ranges ranges(bytes, capacity);
  unsigned length = 0;  // of the range that is growing; 0 = none
  bool has_line = false;
  std::int32_t step = 0;
  while (!locations.AtEnd()) {
    bool next_has_line = false;
    std::int32_t next_step = 0;
    const unsigned next_length = locations.Next(&next_has_line, &next_step);
    if (length != 0 && next_has_line == has_line && next_step == 0 &&
        length + next_length <= kMaxLength) {
      length += next_length;
      continue;
    }
    if (length != 0 && !ranges.Add(length, has_line, step)) return ranges.size();
    length = next_length;
    has_line = next_has_line;
    step = next_step;
  }
  if (length != 0) ranges.Add(length, has_line, step);
  return ranges.size();
}

}  // namespace

std::size_t ShortenLineTable(int minor, const unsigned char* table, std::size_t bytes,
                             unsigned char* ranges, std::size_t capacity) noexcept {
  if (minor < 10 || capacity < 1) return 0;
  if (minor >= 11) {
    ranges[0] = 0;
    return 1 + WriteRanges(Locations(table, bytes), ranges + 1, capacity - 1);
  }
  const std::size_t size = (bytes < capacity ? bytes : capacity) & ~std::size_t{1};
  std::memcpy(ranges, table, size);
  return size;
}

}  // namespace rollcall::interpose
