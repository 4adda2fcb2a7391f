// Who is merely not visible is not accused, and nobody else instead of a culprit who is not.
#include <iostream>

#include "tests/catch.h"
#include "tests/corpus/corpus_case.h"
#include "tests/corpus/less_seen.h"

namespace rollcall::tests {
namespace {

// -1 where another file speaks for the rank, too.
int HiddenWithout(const CorpusCase& of, std::size_t file) {
  for (std::size_t other = 0; other < of.files(); ++other) {
    if (other != file && of.rank(other) == of.rank(file)) return -1;
  }
  return of.rank(file);
}

TEST_CASE("without the file of one rank the cause is the same, or a limit is stated") {
  std::mt19937 random = PrintedSeed();
  int same = 0, all = 0;
  ForEachCase(random, [&](const CorpusCase& of) {
    for (std::size_t file = 0; file < of.files() && of.files() > 1; ++file) {
      INFO(of.name() << " without the file of rank " << of.rank(file));
      const Report less = of.Without(file);
      CHECK(Wrong(of.whole(), less, HiddenWithout(of, file)) == "");
      same += SameCause(of.whole(), less) ? 1 : 0;
      ++all;
    }
  });
  std::cout << "the same cause in " << same << " of " << all << std::endl;
}

}  // namespace
}  // namespace rollcall::tests
