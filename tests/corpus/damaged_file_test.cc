// Files that were cut or changed somewhere give the same cause or a stated limit, and never end the
// analyzer.
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

struct Tally {
  int all = 0, same = 0;
  std::vector<std::string> wrong;
};

Tally JudgeDamaged(Damaged damaged) {
  std::mt19937 random = PrintedSeed();
  Tally tally;
  ForEachCase(random, [&](const CorpusCase& of) {
    for (int i = 0; i < kPlaces; ++i) {
      const std::size_t file = Below(of.files(), random);
      const std::size_t place = Below(of.bytes(file).size(), random);
      INFO(of.name() << " with the file of rank " << of.rank(file) << " damaged at " << place);
      const Report less = of.With(file, damaged(of.bytes(file), place, random));
      const std::string wrong = Wrong(of.whole(), less, -1);
      if (!wrong.empty()) {
        tally.wrong.push_back(absl::StrCat(of.name(), ", file of rank ", of.rank(file),
                                           " damaged at ", place, ": ", wrong));
      }
      tally.same += SameCause(of.whole(), less) ? 1 : 0;
      ++tally.all;
    }
  });
  std::cout << "the same cause in " << tally.same << " of " << tally.all << ", wrong in "
            << tally.wrong.size() << std::endl;
  return tally;
}

TEST_CASE("a file that is cut anywhere gives the same cause, or a limit is stated") {
  const Tally tally = JudgeDamaged([](std::string bytes, std::size_t place, std::mt19937&) {
    bytes.resize(place);
    return bytes;
  });
  CHECK(tally.wrong == std::vector<std::string>{});
}

// A byte of a definition can become another valid one, and the format has no checksum there: what
// such a trace says is what its rank is judged by.
TEST_CASE("a byte that is changed anywhere hardly ever changes the cause without a word") {
  const Tally tally = JudgeDamaged([](std::string bytes, std::size_t place, std::mt19937& random) {
    bytes[place] = static_cast<char>(bytes[place] ^ (1 + Below(255, random)));
    return bytes;
  });
  for (const std::string& wrong : tally.wrong)
    std::cout << wrong << std::endl;
  CHECK(tally.wrong.size() * 200 <= static_cast<std::size_t>(tally.all));
}

}  // namespace
}  // namespace rollcall::tests
