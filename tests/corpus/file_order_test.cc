// Names and order of the files are no evidence.
#include "tests/catch.h"
#include "tests/corpus/corpus_case.h"

namespace rollcall::tests {
namespace {

constexpr int kOrders = 24;

TEST_CASE("a verdict does not depend on the names and the order of the files") {
  std::mt19937 random = PrintedSeed();
  ForEachCase(random, [&](const CorpusCase& of) {
    INFO(of.name());
    for (int order = 0; order < kOrders; ++order) {
      const Report report = of.Renamed(random);
      // The text is compared first: it is what people can read in a failure.
      CHECK(report.verdict() == of.whole().verdict());
      CHECK(report.ShortDebugString() == of.whole().ShortDebugString());
    }
  });
}

}  // namespace
}  // namespace rollcall::tests
