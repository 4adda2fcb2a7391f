#include "interpose/native/wiped_memory.h"

#include <pthread.h>
#include <sys/mman.h>

namespace rollcall::interpose {
namespace {

// In front of what the caller uses. Zero in a forked child: such memory stays mapped, there is one
// thread of it.
struct Region {
  std::size_t bytes;
  void** owner;
  Region* next;
  void* reserved;
};
static_assert(sizeof(Region) % 16 == 0);

pthread_once_t key_once = PTHREAD_ONCE_INIT;
pthread_key_t key;
bool have_key = false;

void UnmapRegions(void* first) noexcept {
  for (auto* region = static_cast<Region*>(first); region != nullptr && region->bytes != 0;) {
    Region* const next = region->next;
    *region->owner = nullptr;
    munmap(region, region->bytes);
    region = next;
  }
}

void MakeKey() noexcept {
  have_key = pthread_key_create(&key, UnmapRegions) == 0;
}

}  // namespace

void* MapWipedMemory(std::size_t bytes) noexcept {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, bytes, MADV_WIPEONFORK) == 0) return memory;
  munmap(memory, bytes);
  return nullptr;
}

void* MapThreadMemory(std::size_t bytes, void** owner) noexcept {
  pthread_once(&key_once, MakeKey);
  if (!have_key) return nullptr;
  const std::size_t all = bytes + sizeof(Region);
  auto* const region = static_cast<Region*>(MapWipedMemory(all));
  if (region == nullptr) return nullptr;
  *region = Region{all, owner, static_cast<Region*>(pthread_getspecific(key)), nullptr};
  if (pthread_setspecific(key, region) != 0) {
    munmap(region, all);
    return nullptr;
  }
  return *owner = region + 1;
}

}  // namespace rollcall::interpose
