#include "interpose/core/real_symbol.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include <atomic>
#include <cstdint>

#include "interpose/core/recorder.h"

// Set by the linker: where the module that holds this code begins and ends.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

struct RollcallCallSite {
  const void* return_address;
  void* real;
  RollcallCallSite* next;
};

namespace rollcall::interpose {
namespace {

// Call sites of all hooks together. Beyond that an answer is looked up anew every time: slow, but
// right.
constexpr std::uint32_t kMaxSites = 4096;
RollcallCallSite site_storage[kMaxSites];
std::atomic<std::uint32_t> sites_used{0};

bool IsOurs(const void* address) noexcept {
  return address >= static_cast<const void*>(__ehdr_start) &&
         address < static_cast<const void*>(_end);
}

struct ModuleName {
  const void* address;  // looked for; null: the module number `index`
  std::size_t index;
  bool found;
  char name[PATH_MAX];
};

// dladdr is not used: it searches for the nearest symbol too, a millisecond in libtorch_cpu.so.
int TakeModuleName(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& module = *static_cast<ModuleName*>(data);
  bool here = false;
  if (module.address == nullptr) {
    here = module.index-- == 0;
  } else {
    const auto address = reinterpret_cast<std::uintptr_t>(module.address);
    for (int i = 0; i < info->dlpi_phnum && !here; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      here = segment.p_type == PT_LOAD &&
             address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
    }
  }
  if (!here) return 0;
  const std::size_t length = strlen(info->dlpi_name);
  if (length < sizeof module.name) {
    memcpy(module.name, info->dlpi_name, length + 1);
    module.found = true;
  }
  return 1;
}

// The handle is kept: what was found must stay loaded. (dlopen is not called inside the iteration,
// which holds a lock that other threads take inside dlopen.) The main program has an empty name and
// no scope but the global one, which RTLD_NEXT has covered.
void* FindIn(const ModuleName& module, const char* name) noexcept {
  if (!module.found || module.name[0] == '\0') return nullptr;
  void* const handle = dlopen(module.name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const symbol = dlsym(handle, name);
  if (symbol != nullptr && !IsOurs(symbol)) return symbol;
  dlclose(handle);
  return nullptr;
}

void* Search(const char* name, const void* return_address) noexcept {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol != nullptr && !IsOurs(symbol)) return symbol;
  ModuleName module{return_address, 0, false, {}};
  dl_iterate_phdr(TakeModuleName, &module);
  symbol = FindIn(module, name);
  for (std::size_t i = 0; symbol == nullptr; ++i) {
    module = {nullptr, i, false, {}};
    if (dl_iterate_phdr(TakeModuleName, &module) == 0) break;
    symbol = FindIn(module, name);
  }
  return symbol;
}

void Remember(RollcallRealSymbol& symbol, const void* return_address, void* real) noexcept {
  if (sites_used.load(std::memory_order_relaxed) >= kMaxSites) return;
  const std::uint32_t index = sites_used.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxSites) return;
  RollcallCallSite* const site = &site_storage[index];
  const std::atomic_ref<RollcallCallSite*> head(symbol.sites);
  *site = {return_address, real, head.load(std::memory_order_relaxed)};
  while (!head.compare_exchange_weak(site->next, site, std::memory_order_release)) {
  }
}

}  // namespace
}  // namespace rollcall::interpose

using namespace rollcall::interpose;

void* RollcallFindReal(RollcallRealSymbol* symbol, const void* return_address) {
  const std::atomic_ref<RollcallCallSite*> head(symbol->sites);
  for (const RollcallCallSite* site = head.load(std::memory_order_acquire); site != nullptr;
       site = site->next)
    if (site->return_address == return_address) return site->real;

  const int saved_errno = errno;
  void* const real = Search(symbol->name, return_address);
  dlerror();  // the failures above are ours
  if (real != nullptr)
    Remember(*symbol, return_address, real);
  else
    StopRecording("a function that was called is in no library", 0);
  errno = saved_errno;
  return real;
}

void* RollcallFindInModule(const void* address, const char* name) {
  const int saved_errno = errno;
  ModuleName module{address, 0, false, {}};
  dl_iterate_phdr(TakeModuleName, &module);
  void* const symbol = FindIn(module, name);
  dlerror();
  errno = saved_errno;
  return symbol;
}
