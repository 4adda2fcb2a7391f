// The table of loaded objects, for whoever resolves native stacks later: written as Module
// definitions, again only when it changed.
#pragma once

#include <cstdint>

namespace rollcall::interpose {

// Zero-initialised, in memory that a forked child finds empty. Protect it by a lock.
struct ModuleTable {
  static constexpr std::uint32_t kSlots = 8192;
  struct Slot {
    std::uint64_t key;   // 0 = free
    std::uint32_t pass;  // when it was last there
    std::uint32_t reserved;
  };
  std::uint64_t adds;
  std::uint64_t subs;
  std::uint32_t epoch;  // 0 = nothing written yet
  std::uint32_t pass;
  std::uint32_t used;
  std::uint32_t reserved;
  Slot slots[kSlots];
};

// Writes what is new, if something was loaded or unloaded since the last time (14 ns if not). Sets
// table->epoch. True: something was unloaded, so addresses may mean something else than before.
bool RefreshModules(ModuleTable* table) noexcept;

}  // namespace rollcall::interpose
