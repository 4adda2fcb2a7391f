#include "analyzer/trace/foreign.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace rollcall::analyzer {
namespace {

struct Mark {
  absl::string_view bytes;
  const char* contents;
};

constexpr Mark kMarks[] = {
    {"\x7f\x45LF", "a program or library (ELF)"},
    {"\x1f\x8b", "a gzip archive: unpack it first"},
    {"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"},
    {"\xfd\x37zXZ", "an xz archive: unpack it first"},
    {"PK\x03\x04", "a zip archive (a checkpoint of PyTorch?)"},
    {"\x80\x02", "a Python pickle (a dump of Flight Recorder?)"},
    {"\x80\x03", "a Python pickle"},
    {"\x80\x04", "a Python pickle"},
    {"\x80\x05", "a Python pickle"},
    {"SQLite format 3", "a database (SQLite)"},
    {"\x89PNG", "a picture"},
};

bool IsText(absl::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : byte == '\n' || byte == '\r' || byte == '\t';
  });
}

}  // namespace

std::string GuessContents(absl::string_view head) {
  for (const Mark& mark : kMarks) {
    if (absl::StartsWith(head, mark.bytes)) return mark.contents;
  }
  if (head.empty()) return "";
  if (std::all_of(head.begin(), head.end(), [](char c) { return c == 0; }))
    return "zeros: its contents are lost (a disk that was full, a machine that stopped?)";
  if (!IsText(head)) return "";
  return head.front() == '{' || head.front() == '[' ? "JSON" : "text";
}

}  // namespace rollcall::analyzer
