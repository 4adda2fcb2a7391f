#include "analyzer/report/text_layout.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rollcall::analyzer {

std::size_t Columns(const std::string& text) {
  // Bytes that continue a UTF-8 character take no column.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Wrap(const std::string& text, const std::string& first, const std::string& indent,
                 int width) {
  std::string result, line = first;
  bool empty = true;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    const std::string next(word);
    if (!empty && width > 0 &&
        Columns(line) + 1 + Columns(next) > static_cast<std::size_t>(width)) {
      absl::StrAppend(&result, line, "\n");
      line = indent;
      empty = true;
    }
    absl::StrAppend(&line, empty ? "" : " ", next);
    empty = false;
  }
  return absl::StrCat(result, line, "\n");
}

std::string Table(const std::vector<std::vector<std::string>>& rows, const std::string& indent,
                  int width) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], Columns(row[i]));
  }
  std::string result;
  for (const std::vector<std::string>& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      absl::StrAppend(&line, row[i], std::string(widths[i] - Columns(row[i]) + 2, ' '));
    }
    // Too little room for the last column: let it run on.
    const std::size_t used = Columns(line);
    const int limit = width > 0 && used + 20 > static_cast<std::size_t>(width) ? 0 : width;
    std::string wrapped = Wrap(row.back(), line, std::string(used, ' '), limit);
    wrapped.pop_back();
    wrapped.resize(wrapped.find_last_not_of(' ') + 1);
    absl::StrAppend(&result, wrapped, "\n");
  }
  return result;
}

std::string Paint(const std::string& text, Colour colour, bool on) {
  if (!on || colour == Colour::kNone) return text;
  const char* code = colour == Colour::kBold     ? "1"
                     : colour == Colour::kRed    ? "1;31"
                     : colour == Colour::kYellow ? "1;33"
                     : colour == Colour::kGreen  ? "1;32"
                                                 : "2";
  return absl::StrCat("\033[", code, "m", text, "\033[0m");
}

std::string SourceLine(const std::string& path, int number) {
  constexpr std::streamoff kTooLarge = 4 << 20;
  struct stat status {};
  if (number <= 0 || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > kTooLarge)
    return "";
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(file, line)) return "";
  }
  return std::string(absl::StripAsciiWhitespace(line)).substr(0, 120);
}

}  // namespace rollcall::analyzer
