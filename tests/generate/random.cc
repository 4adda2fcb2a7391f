#include "tests/generate/random.h"

#include <algorithm>

namespace rollcall::tests::generate {

std::vector<int> Random::Sample(std::vector<int> from, std::size_t size) {
  Shuffle(&from);
  from.resize(std::min(size, from.size()));
  std::sort(from.begin(), from.end());
  return from;
}

}  // namespace rollcall::tests::generate
