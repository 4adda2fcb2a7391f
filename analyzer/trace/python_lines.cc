#include "analyzer/trace/python_lines.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace rollcall::analyzer {
namespace {

// Sums of hostile deltas: 64 bits hold any table that fits in memory.
int ToLine(std::int64_t line) {
  return line > 0 && line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

std::uint8_t UnsignedAt(absl::string_view table, std::size_t at) {
  return static_cast<std::uint8_t>(table[at]);
}

std::int8_t SignedAt(absl::string_view table, std::size_t at) {
  return static_cast<std::int8_t>(table[at]);
}

// Pairs (unsigned address step, signed line step): a line starts where its address is reached.
int LineOfLnotab(std::int64_t line, absl::string_view table, int offset) {
  std::int64_t address = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    address += UnsignedAt(table, i);
    if (address > offset) break;
    line += SignedAt(table, i + 1);
  }
  return ToLine(line);
}

// Pairs (unsigned length, signed line step), the step first; -128: this range has no line.
int LineOfRanges(std::int64_t line, absl::string_view table, int offset) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const int step = SignedAt(table, i + 1);
    const bool has_line = step != -128;
    if (has_line) line += step;
    end += UnsignedAt(table, i);
    if (offset < end) return has_line ? ToLine(line) : 0;
  }
  return 0;
}

// Six bits a byte, least significant first; bit 6 = more follow.
class LocationTable {
 public:
  explicit LocationTable(absl::string_view bytes) : bytes_(bytes) {}

  bool AtEnd() const { return at_ >= bytes_.size(); }
  std::uint8_t Byte() { return AtEnd() ? std::uint8_t{0} : UnsignedAt(bytes_, at_++); }
  void Skip(std::size_t count) { at_ += count; }

  std::uint32_t Varint() {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 6) {
      const std::uint8_t byte = Byte();
      if (shift < 32) value |= static_cast<std::uint32_t>(byte & 63) << shift;
      if ((byte & 64) == 0) return value;
    }
  }

  std::int64_t SignedVarint() {
    const std::uint32_t value = Varint();
    const std::int64_t magnitude = value >> 1;
    return (value & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  absl::string_view bytes_;
  std::size_t at_ = 0;
};

// Entries of one to eight code units. Kinds 0-9 have one more byte (columns), 10-12 a line step of
// kind - 10 and two more, 13 a line step, 14 a line step and three varints, 15 no line.
int LineOfLocations(std::int64_t line, absl::string_view bytes, int offset) {
  LocationTable table(bytes);
  std::int64_t end = 0;
  while (!table.AtEnd()) {
    const std::uint8_t head = table.Byte();
    const int kind = (head >> 3) & 15;
    end += 2 * ((head & 7) + 1);
    if (kind == 14) {
      line += table.SignedVarint();
      for (int i = 0; i < 3; ++i)
        table.Varint();
    } else if (kind == 13) {
      line += table.SignedVarint();
    } else if (kind <= 9) {
      table.Skip(1);
    } else if (kind != 15) {
      line += kind - 10;
      table.Skip(2);
    }
    if (offset < end) return kind == 15 ? 0 : ToLine(line);
  }
  return 0;
}

}  // namespace

int PythonLine(int minor, int first_line, absl::string_view line_table, int offset) {
  if (offset < 0) return ToLine(first_line);  // not started yet
  if (minor <= 9) return LineOfLnotab(first_line, line_table, offset);
  if (minor == 10) return LineOfRanges(first_line, line_table, offset);
  // The recorder's short form of long tables; CPython's entries have the high bit set.
  if (!line_table.empty() && line_table[0] == '\0') {
    return LineOfRanges(first_line, absl::string_view(line_table.data() + 1, line_table.size() - 1),
                        offset);
  }
  return LineOfLocations(first_line, line_table, offset);
}

}  // namespace rollcall::analyzer
