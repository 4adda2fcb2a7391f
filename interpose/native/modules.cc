#include "interpose/native/modules.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "interpose/core/recorder.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMaxBuildId = 64;
constexpr std::size_t kMaxPath = 1024;
constexpr std::uint32_t kBatch = 16;

struct Module {
  std::uint64_t key;
  std::uint64_t bias;
  std::uint64_t low;
  std::uint64_t high;
  std::size_t build_id_bytes;
  unsigned char build_id[kMaxBuildId];
  char path[kMaxPath];
};

// Modules are copied under the loader's lock and written without it: the recorder's own lock is
// never taken inside the loader's.
struct Batch {
  ModuleTable* table;
  std::uint32_t count;
  Module module[kBatch];
};

void FindBuildId(const dl_phdr_info& info, const ElfW(Phdr) & header, Module* module) noexcept {
  const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
  std::size_t left = header.p_memsz;
  while (left >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::size_t name_bytes = (std::size_t{note.n_namesz} + 3) & ~std::size_t{3};
    const std::size_t data_bytes = (std::size_t{note.n_descsz} + 3) & ~std::size_t{3};
    const std::size_t all = sizeof note + name_bytes + data_bytes;
    if (all > left) return;
    const char* const name = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 &&
        note.n_descsz <= kMaxBuildId) {
      module->build_id_bytes = note.n_descsz;
      std::memcpy(module->build_id, name + name_bytes, note.n_descsz);
      return;
    }
    at += all;
    left -= all;
  }
}

// Whether the bytes of a header are part of what was mapped; notes need not be.
bool IsLoaded(const dl_phdr_info& info, const ElfW(Phdr) & header) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& load = info.dlpi_phdr[i];
    if (load.p_type == PT_LOAD && (load.p_flags & PF_R) != 0 && header.p_vaddr >= load.p_vaddr &&
        header.p_vaddr + header.p_memsz <= load.p_vaddr + load.p_filesz) {
      return true;
    }
  }
  return false;
}

// False: nothing of it is in memory.
bool DescribeModule(const dl_phdr_info& info, Module* module) noexcept {
  module->bias = info.dlpi_addr;
  module->low = UINT64_MAX;
  module->high = 0;
  module->build_id_bytes = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type == PT_NOTE && module->build_id_bytes == 0 && IsLoaded(info, header)) {
      FindBuildId(info, header, module);
    }
    if (header.p_type != PT_LOAD) continue;
    const std::uint64_t start = info.dlpi_addr + header.p_vaddr;
    const std::uint64_t end = start + header.p_memsz;
    if (start < module->low) module->low = start;
    if (end > module->high) module->high = end;
  }
  return module->low < module->high;
}

std::uint64_t KeyOfModule(const Module& module, const char* path) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto mix = [&hash](const void* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3u;
    }
  };
  mix(&module.bias, sizeof module.bias);
  mix(&module.high, sizeof module.high);
  mix(module.build_id, module.build_id_bytes);
  mix(path, std::strlen(path));
  return hash | 1;
}

ModuleTable::Slot* FindSlot(ModuleTable* table, std::uint64_t key) noexcept {
  std::uint32_t index = static_cast<std::uint32_t>(key >> 20) % ModuleTable::kSlots;
  while (table->slots[index].key != 0 && table->slots[index].key != key) {
    index = (index + 1) % ModuleTable::kSlots;
  }
  return &table->slots[index];
}

int OnModule(dl_phdr_info* info, std::size_t, void* data) {
  auto* const batch = static_cast<Batch*>(data);
  ModuleTable* const table = batch->table;
  Module* const module = &batch->module[batch->count];
  if (!DescribeModule(*info, module)) return 0;
  module->key = KeyOfModule(*module, info->dlpi_name);
  ModuleTable::Slot* const slot = FindSlot(table, module->key);
  // There in this pass or the last one; one that was away meanwhile is written again, as others may
  // have had its place.
  if (slot->key != 0 && table->pass - slot->pass <= 1) {
    slot->pass = table->pass;
    return 0;
  }
  if (slot->key == 0 && table->used >= ModuleTable::kSlots / 2) return 0;
  if (slot->key == 0) ++table->used;
  *slot = ModuleTable::Slot{module->key, table->pass, 0};
  const std::size_t bytes = strnlen(info->dlpi_name, kMaxPath - 1);
  std::memcpy(module->path, info->dlpi_name, bytes);
  module->path[bytes] = '\0';
  return ++batch->count == kBatch ? 1 : 0;
}

struct Changes {
  std::uint64_t adds;
  std::uint64_t subs;
};

int OnFirstModule(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<Changes*>(data) = Changes{info->dlpi_adds, info->dlpi_subs};
  return 1;
}

void WriteModule(std::uint32_t epoch, const Module& module) noexcept {
  char executable[kMaxPath];
  const char* path = module.path;
  if (path[0] == '\0') {
    const ssize_t bytes = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[bytes > 0 ? bytes : 0] = '\0';
    path = executable;
  }
  DefineModule(epoch, module.bias, module.low, module.high, module.build_id, module.build_id_bytes,
               path);
}

}  // namespace

bool RefreshModules(ModuleTable* table) noexcept {
  Changes now{};
  dl_iterate_phdr(OnFirstModule, &now);
  if (table->epoch != 0 && now.adds == table->adds && now.subs == table->subs) return false;
  const bool was_unloaded = table->epoch != 0 && now.subs != table->subs;
  table->adds = now.adds;
  table->subs = now.subs;
  ++table->epoch;
  // Passes begin at 2, so that no slot of zeros looks recent.
  table->pass = table->epoch + 1;
  Batch batch;
  batch.table = table;
  do {
    batch.count = 0;
    dl_iterate_phdr(OnModule, &batch);
    for (std::uint32_t i = 0; i < batch.count; ++i)
      WriteModule(table->epoch, batch.module[i]);
  } while (batch.count == kBatch);
  return was_unloaded;
}

}  // namespace rollcall::interpose
