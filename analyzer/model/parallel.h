// Runs independent work on all cores of the machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace rollcall::analyzer {

// work(i) for every i below count, in any order, from several threads; returns when all are done.
template <typename Work>
void ParallelFor(std::size_t count, Work work) {
  const std::size_t threads =
      std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i)
    others.emplace_back(loop);
  loop();
  for (std::thread& other : others)
    other.join();
}

}  // namespace rollcall::analyzer
