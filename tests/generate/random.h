// Random choices that are the same for a seed with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace rollcall::tests::generate {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  int Between(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool Chance(double probability) {
    return static_cast<double>(engine_() >> 11) < probability * 9007199254740992.0;
  }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Index(from.size())];
  }
  std::size_t Index(std::size_t size) { return static_cast<std::size_t>(engine_() % size); }
  template <class T>
  void Shuffle(std::vector<T>* values) {
    for (std::size_t i = values->size(); i > 1; --i)
      std::swap((*values)[i - 1], (*values)[Index(i)]);
  }
  // Sorted.
  std::vector<int> Sample(std::vector<int> from, std::size_t size);

 private:
  std::mt19937_64 engine_;
};

}  // namespace rollcall::tests::generate
