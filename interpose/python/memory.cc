#include "interpose/python/memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace rollcall::interpose {
namespace {

ssize_t ReadSelf(std::uintptr_t address, void* to, std::size_t bytes) noexcept {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

}  // namespace

GuestMemory::~GuestMemory() noexcept {
  if (pipe_[0] >= 0) close(pipe_[0]);
  if (pipe_[1] >= 0) close(pipe_[1]);
}

void GuestMemory::ChooseWay() noexcept {
  const char probe = 1;
  char copy = 0;
  if (ReadSelf(reinterpret_cast<std::uintptr_t>(&probe), &copy, 1) == 1 && copy == probe) {
    way_ = Way::kReadv;
  } else if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) == 0) {
    way_ = Way::kPipe;
  } else {
    way_ = trusted_ ? Way::kPlain : Way::kNone;
  }
}

bool GuestMemory::IsChecked() noexcept {
  if (way_ == Way::kUnknown) ChooseWay();
  return way_ == Way::kReadv || way_ == Way::kPipe;
}

std::size_t GuestMemory::ReadByPipe(std::uintptr_t address, void* to, std::size_t bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes) {
    // Not more than a pipe holds for certain.
    const std::size_t chunk = bytes - done < 4096 ? bytes - done : 4096;
    const ssize_t written = write(pipe_[1], reinterpret_cast<const void*>(address + done), chunk);
    if (written <= 0) break;
    if (read(pipe_[0], static_cast<char*>(to) + done, static_cast<std::size_t>(written)) !=
        written) {
      break;
    }
    done += static_cast<std::size_t>(written);
    if (static_cast<std::size_t>(written) < chunk) break;
  }
  return done;
}

std::size_t GuestMemory::Read(std::uintptr_t address, void* to, std::size_t bytes) noexcept {
  if (way_ == Way::kUnknown) ChooseWay();
  switch (way_) {
    case Way::kReadv: {
      const ssize_t done = ReadSelf(address, to, bytes);
      return done > 0 ? static_cast<std::size_t>(done) : 0;
    }
    case Way::kPipe:
      return ReadByPipe(address, to, bytes);
    case Way::kPlain:
      std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
      return bytes;
    case Way::kUnknown:
    case Way::kNone:
      break;
  }
  return 0;
}

bool GuestMemory::Copy(std::uintptr_t address, void* to, std::size_t bytes) noexcept {
  return bytes == 0 || (address >= 4096 && Read(address, to, bytes) == bytes);
}

bool GuestMemory::LoadBytes(std::uintptr_t address, void* to, std::size_t bytes) noexcept {
  if (address < 4096) return false;
  if (way_ == Way::kUnknown) ChooseWay();
  for (const Place& place : places_) {
    if (address >= place.address && address - place.address < place.bytes &&
        bytes <= place.bytes - (address - place.address)) {
      std::memcpy(to, place.data + (address - place.address), bytes);
      return true;
    }
  }
  // With plain loads a place could reach beyond what is mapped.
  if (way_ == Way::kPlain || bytes > kPlaceBytes) return Copy(address, to, bytes);
  Place& place = places_[next_place_++ % kPlaces];
  place.address = address;
  place.bytes = Read(address, place.data, kPlaceBytes);
  if (place.bytes < bytes) return false;
  std::memcpy(to, place.data, bytes);
  return true;
}

void GuestMemory::Forget() noexcept {
  for (Place& place : places_)
    place.bytes = 0;
}

}  // namespace rollcall::interpose
