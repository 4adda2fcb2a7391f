// Two ways of reading the interpreter's memory. Direct: the frames of the calling thread, which
// nobody else changes while it is in a C call. Guest: by the kernel, where a wrong address is an
// answer and not a crash; for what is not known to be there.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rollcall::interpose {

struct DirectMemory {
  template <class T>
  bool Load(std::uintptr_t address, T* value) const noexcept {
    std::memcpy(value, reinterpret_cast<const void*>(address), sizeof(T));
    return true;
  }
};

// process_vm_readv on ourselves; where a sandbox forbids it, write(2) of the memory into a pipe;
// where that fails too, plain loads if `trusted`, else nothing is readable. Keeps the last few
// places: neighbours cost one system call.
class GuestMemory {
 public:
  explicit GuestMemory(bool trusted) noexcept : trusted_(trusted) {}
  ~GuestMemory() noexcept;
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  template <class T>
  bool Load(std::uintptr_t address, T* value) noexcept {
    return LoadBytes(address, value, sizeof(T));
  }
  // Small reads, from the places kept.
  bool LoadBytes(std::uintptr_t address, void* to, std::size_t bytes) noexcept;
  // Any size, always read anew.
  bool Copy(std::uintptr_t address, void* to, std::size_t bytes) noexcept;
  // Gives up the places kept.
  void Forget() noexcept;
  // Whether a wrong address is noticed.
  bool IsChecked() noexcept;

 private:
  enum class Way { kUnknown, kReadv, kPipe, kPlain, kNone };
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::size_t kPlaceBytes = 256;
  struct Place {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    unsigned char data[kPlaceBytes];
  };

  void ChooseWay() noexcept;
  std::size_t Read(std::uintptr_t address, void* to, std::size_t bytes) noexcept;
  std::size_t ReadByPipe(std::uintptr_t address, void* to, std::size_t bytes) noexcept;

  Way way_ = Way::kUnknown;
  bool trusted_;
  int pipe_[2] = {-1, -1};
  std::size_t next_place_ = 0;
  Place places_[kPlaces];
};

}  // namespace rollcall::interpose
