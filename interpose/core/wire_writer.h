// Protobuf wire format into a buffer of the caller. Fields that do not fit set overflowed(), and
// the packet must not be used.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

#include "interpose/core/valid_text.h"

namespace rollcall::interpose {

class WireWriter {
 public:
  WireWriter(void* data, std::size_t capacity) noexcept
      : data_(static_cast<std::uint8_t*>(data)), capacity_(capacity) {}

  // proto3: a zero is the same as an absent field.
  void Number(std::uint32_t field, std::uint64_t value) noexcept {
    if (value == 0) return;
    Varint(field << 3);
    Varint(value);
  }
  // For fields with presence, where zero must be said.
  void Signed(std::uint32_t field, std::int64_t value) noexcept {
    Varint(field << 3);
    Varint(ZigZag(value));
  }
  void Fixed64(std::uint32_t field, std::uint64_t value) noexcept {
    if (value == 0) return;
    Varint(field << 3 | 1);
    Raw(&value, sizeof value);
  }
  void Bytes(std::uint32_t field, const void* from, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    Varint(field << 3 | 2);
    Varint(bytes);
    Raw(from, bytes);
  }
  // At most `limit` bytes of `text`, made valid UTF-8.
  void Text(std::uint32_t field, const char* text, std::size_t bytes, std::size_t limit) noexcept {
    if (bytes == 0) return;
    const std::size_t start = BeginMessage(field);
    if (overflowed_) return;
    const std::size_t room = capacity_ - size_ < limit ? capacity_ - size_ : limit;
    size_ += CopyValidText(data_ + size_, room, text, bytes);
    EndMessage(start);
  }
  // A nested message or a packed field: its length takes three bytes, as it is not known yet.
  std::size_t BeginMessage(std::uint32_t field) noexcept {
    Varint(field << 3 | 2);
    const std::uint8_t length[3] = {0x80, 0x80, 0};
    Raw(length, sizeof length);
    return size_;
  }
  void EndMessage(std::size_t start) noexcept {
    if (overflowed_) return;
    const std::size_t length = size_ - start;
    data_[start - 3] = static_cast<std::uint8_t>(0x80 | (length & 0x7f));
    data_[start - 2] = static_cast<std::uint8_t>(0x80 | (length >> 7 & 0x7f));
    data_[start - 1] = static_cast<std::uint8_t>(length >> 14 & 0x7f);
  }
  void Varint(std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7)
      Byte(static_cast<std::uint8_t>(value | 0x80));
    Byte(static_cast<std::uint8_t>(value));
  }
  void Raw(const void* from, std::size_t bytes) noexcept {
    if (capacity_ - size_ < bytes) {
      overflowed_ = true;
      return;
    }
    memcpy(data_ + size_, from, bytes);
    size_ += bytes;
  }

  static std::uint64_t ZigZag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }

  const std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t room() const noexcept { return capacity_ - size_; }
  bool overflowed() const noexcept { return overflowed_; }

 private:
  void Byte(std::uint8_t byte) noexcept { Raw(&byte, 1); }

  std::uint8_t* const data_;
  const std::size_t capacity_;
  std::size_t size_ = 0;
  bool overflowed_ = false;
};

}  // namespace rollcall::interpose
