#include "interpose/gloo/pointer_map.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace rollcall::interpose {
namespace {

std::unique_ptr<PointerMap> NewMap() {
  auto map = std::make_unique<PointerMap>();
  std::memset(static_cast<void*>(map.get()), 0, sizeof *map);  // as in memory that the system gives
  return map;
}

void* Value(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);
}

TEST_CASE("a map grows far beyond its first table", "[gloo]") {
  const auto map = NewMap();
  for (std::uintptr_t i = 1; i <= 100000; ++i)
    map->Put(16 * i, Value(i));
  for (std::uintptr_t i = 1; i <= 100000; ++i)
    REQUIRE(map->Find(16 * i) == Value(i));
  CHECK(map->Find(16 * 100001) == nullptr);
}

TEST_CASE("an address that is used again finds the newest entry", "[gloo]") {
  const auto map = NewMap();
  map->Put(64, Value(1));
  map->Put(64, Value(2));
  CHECK(map->Find(64) == Value(2));
  CHECK(map->Take(64) == Value(2));
  CHECK(map->Take(64) == nullptr);
  CHECK(map->Find(64) == nullptr);
}

TEST_CASE("threads put and take their own keys at the same time", "[gloo]") {
  const auto map = NewMap();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uintptr_t thread = 1; thread <= 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uintptr_t i = 1; i <= 20000; ++i) {
        const std::uintptr_t key = (i * 8 + thread) << 4;
        map->Put(key, Value(i));
        if (map->Find(key) != Value(i) || map->Take(key) != Value(i)) ++wrong;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace rollcall::interpose
