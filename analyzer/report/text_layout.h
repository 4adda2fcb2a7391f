// Lines of a text report: colour, wrapping, tables.
#pragma once

#include <string>
#include <vector>

namespace rollcall::analyzer {

enum class Colour { kNone, kBold, kRed, kYellow, kGreen, kFaint };

// Columns that the text fills on a terminal.
std::size_t Columns(const std::string& text);

// The text as lines of at most `width` columns, each with the indent; `first` replaces the indent
// of the first line. 0 = no limit.
std::string Wrap(const std::string& text, const std::string& first, const std::string& indent,
                 int width);

// Rows in columns as wide as they need to be; the last column is wrapped. Ends in a newline.
std::string Table(const std::vector<std::vector<std::string>>& rows, const std::string& indent,
                  int width);

// Unchanged unless `on`.
std::string Paint(const std::string& text, Colour colour, bool on);

// Line `number` of a file, without the space around it; "" when it cannot be read.
std::string SourceLine(const std::string& path, int number);

}  // namespace rollcall::analyzer
