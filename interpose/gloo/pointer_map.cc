#include "interpose/gloo/pointer_map.h"

#include <sys/mman.h>

#include "interpose/native/wiped_memory.h"
#include "proto/fingerprint.h"

namespace rollcall::interpose {

PointerMap::Slot* PointerMap::Window(Slot* table, std::uint32_t number,
                                     std::uintptr_t key) noexcept {
  const std::uint64_t slots = std::uint64_t{kFirstSlots} << number;
  return table + RollcallFingerprintMix(0, key) % slots;
}

PointerMap::Slot* PointerMap::Table(std::uint32_t number) noexcept {
  Slot* table = tables_[number].load(std::memory_order_acquire);
  if (table != nullptr) return table;
  const std::size_t bytes = ((std::size_t{kFirstSlots} << number) + kWindow) * sizeof(Slot);
  auto* const mapped = static_cast<Slot*>(MapWipedMemory(bytes));
  if (mapped == nullptr) return nullptr;
  if (tables_[number].compare_exchange_strong(table, mapped, std::memory_order_acq_rel))
    return mapped;
  munmap(mapped, bytes);
  return table;
}

PointerMap::Slot* PointerMap::FindSlot(std::uintptr_t key) const noexcept {
  for (std::uint32_t number = 0; number < kTables; ++number) {
    Slot* const table = tables_[number].load(std::memory_order_acquire);
    if (table == nullptr) break;
    Slot* const window = Window(table, number, key);
    for (std::uint32_t i = 0; i < kWindow; ++i)
      if (window[i].key.load(std::memory_order_acquire) == key) return &window[i];
  }
  return nullptr;
}

void PointerMap::Put(std::uintptr_t key, void* value) noexcept {
  if (Slot* const slot = FindSlot(key)) {
    slot->value.store(value, std::memory_order_release);
    return;
  }
  for (std::uint32_t number = 0; number < kTables; ++number) {
    Slot* const table = Table(number);
    if (table == nullptr) return;
    Slot* const window = Window(table, number, key);
    for (std::uint32_t i = 0; i < kWindow; ++i) {
      std::uintptr_t expected = 0;
      if (!window[i].key.compare_exchange_strong(expected, kBusy, std::memory_order_acq_rel))
        continue;
      window[i].value.store(value, std::memory_order_relaxed);
      window[i].key.store(key, std::memory_order_release);
      return;
    }
  }
}

void* PointerMap::Find(std::uintptr_t key) const noexcept {
  const Slot* const slot = FindSlot(key);
  return slot == nullptr ? nullptr : slot->value.load(std::memory_order_acquire);
}

void* PointerMap::Take(std::uintptr_t key) noexcept {
  Slot* const slot = FindSlot(key);
  if (slot == nullptr) return nullptr;
  void* const value = slot->value.load(std::memory_order_acquire);
  slot->key.store(0, std::memory_order_release);
  return value;
}

}  // namespace rollcall::interpose
