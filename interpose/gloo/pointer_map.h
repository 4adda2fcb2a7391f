// From an address that is a key to a pointer, for what hooks find again: works, buffers, groups,
// contexts, stores. Lock-free, grows without moving anything, and lies in memory that is empty in a
// forked child. An address that is used again (the old object was freed unseen) finds the newest
// entry.
//
// A key is looked up only by who got the object behind it after it was put in, so a lookup does not
// race with the insertion of the same key. Null or a full system: nothing is found.
#pragma once

#include <atomic>
#include <cstdint>

namespace rollcall::interpose {

class PointerMap {
 public:
  // Replaces the value of an entry with this key.
  void Put(std::uintptr_t key, void* value) noexcept;
  void* Find(std::uintptr_t key) const noexcept;
  // Finds and removes.
  void* Take(std::uintptr_t key) noexcept;

 private:
  // An entry lies somewhere in the window that its hash begins. A full window goes on in the next
  // table, twice as large.
  static constexpr std::uint32_t kWindow = 8;
  static constexpr std::uint32_t kFirstSlots = 512;
  static constexpr std::uint32_t kTables = 16;
  static constexpr std::uintptr_t kBusy = 1;

  struct Slot {
    std::atomic<std::uintptr_t> key;  // 0 = free
    std::atomic<void*> value;
  };

  Slot* Table(std::uint32_t number) noexcept;
  static Slot* Window(Slot* table, std::uint32_t number, std::uintptr_t key) noexcept;
  Slot* FindSlot(std::uintptr_t key) const noexcept;

  std::atomic<Slot*> tables_[kTables];
};

}  // namespace rollcall::interpose
