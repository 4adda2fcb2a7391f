#include "analyzer/report/json_writer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rollcall::analyzer {
namespace {

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

// Bytes of the UTF-8 character at `at`; 0 = not valid there.
std::size_t CharacterBytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies behind U+10FFFF.
  const unsigned second = byte(at + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

void JsonWriter::Separate() {
  if (need_comma_) text_.push_back(',');
  need_comma_ = true;
}

void JsonWriter::Begin(char bracket) {
  Separate();
  text_.push_back(bracket);
  need_comma_ = false;
}

void JsonWriter::End(char bracket) {
  text_.push_back(bracket);
  need_comma_ = true;
}

void JsonWriter::Key(const char* name) {
  Separate();
  absl::StrAppend(&text_, "\"", name, "\":");
  need_comma_ = false;
}

void JsonWriter::Quote(const std::string& value) {
  text_.push_back('"');
  for (std::size_t i = 0; i < value.size();) {
    const char c = value[i];
    const std::size_t length = CharacterBytes(value, i);
    if (length != 1) {
      text_ += length == 0 ? kReplacement : value.substr(i, length);
      i += std::max<std::size_t>(length, 1);
      continue;
    }
    ++i;
    switch (c) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\t':
        text_ += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          absl::StrAppendFormat(&text_, "\\u%04x", static_cast<unsigned char>(c));
        } else {
          text_.push_back(c);
        }
    }
  }
  text_.push_back('"');
}

void JsonWriter::String(const std::string& value) {
  Separate();
  Quote(value);
}

void JsonWriter::Int(std::int64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
}

void JsonWriter::Uint(std::uint64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
}

void JsonWriter::Double(double value) {
  Separate();
  std::string digits = absl::StrFormat("%.3f", std::isfinite(value) ? value : 0.0);
  while (digits.back() == '0' && digits[digits.size() - 2] != '.')
    digits.pop_back();
  text_ += digits;
}

void JsonWriter::Bool(bool value) {
  Separate();
  text_ += value ? "true" : "false";
}

}  // namespace rollcall::analyzer
