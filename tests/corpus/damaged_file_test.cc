// Files that were cut or changed somewhere give the same cause or a stated limit, and never end the
// analyzer.
#include <iostream>

#include "tests/catch.h"
#include "tests/corpus/corpus_case.h"
#include "tests/corpus/less_seen.h"

namespace rollcall::tests {
namespace {

constexpr int kPlaces = 50;

std::size_t Below(std::size_t end, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

using Damaged = std::string (*)(std::string bytes, std::size_t place, std::mt19937& random);

void JudgeDamaged(Damaged damaged) {
  std::mt19937 random = PrintedSeed();
  int same = 0, all = 0;
  ForEachCase(random, [&](const CorpusCase& of) {
    for (int i = 0; i < kPlaces; ++i) {
      const std::size_t file = Below(of.files(), random);
      const std::size_t place = Below(of.bytes(file).size(), random);
      INFO(of.name() << " with the file of rank " << of.rank(file) << " damaged at " << place);
      const Report less = of.With(file, damaged(of.bytes(file), place, random));
      CHECK(Wrong(of.whole(), less, -1) == "");
      same += SameCause(of.whole(), less) ? 1 : 0;
      ++all;
    }
  });
  std::cout << "the same cause in " << same << " of " << all << std::endl;
}

TEST_CASE("a file that is cut anywhere gives the same cause, or a limit is stated", "[!mayfail]") {
  JudgeDamaged([](std::string bytes, std::size_t place, std::mt19937&) {
    bytes.resize(place);
    return bytes;
  });
}

TEST_CASE("a byte that is changed anywhere gives the same cause, or a limit is stated",
          "[!mayfail]") {
  JudgeDamaged([](std::string bytes, std::size_t place, std::mt19937& random) {
    bytes[place] = static_cast<char>(bytes[place] ^ (1 + Below(255, random)));
    return bytes;
  });
}

}  // namespace
}  // namespace rollcall::tests
