// Writes JSON text: objects, arrays, and values with the commas between them. protobuf's own
// printer is no use for reports: it turns 64-bit numbers into strings and leaves out fields.
#pragma once

#include <cstdint>
#include <string>

namespace rollcall::analyzer {

class JsonWriter {
 public:
  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  void Key(const char* name);

  void String(const std::string& value);
  void Int(std::int64_t value);
  void Uint(std::uint64_t value);
  void Double(double value);  // at most three digits behind the point, at least one
  void Bool(bool value);

  // Valid when everything that was begun has ended.
  const std::string& text() const { return text_; }

 private:
  void Begin(char bracket);
  void End(char bracket);
  void Separate();
  void Quote(const std::string& value);

  std::string text_;
  bool need_comma_ = false;
};

}  // namespace rollcall::analyzer
