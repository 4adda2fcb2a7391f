// what() of an exception of the guest, as a handler `catch (const std::exception&)` would get it:
// by the functions of the guest's own libstdc++. We are not linked to it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rollcall::interpose {

class ExceptionText {
 public:
  // `exception` is the address of a std::exception_ptr, `caller` an address in the module that
  // threw. The text lives as long as the exception.
  ExceptionText(std::uintptr_t exception, const void* caller) noexcept;
  const char* data() const noexcept { return text_; }  // null: unknown
  std::size_t size() const noexcept { return bytes_; }

 private:
  const char* text_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace rollcall::interpose
