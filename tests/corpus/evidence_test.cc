// What a finding has to show, whatever its kind: asked of every finding of the corpus.
#include <algorithm>
#include <set>

#include "tests/catch.h"
#include "tests/corpus/corpus_case.h"

namespace rollcall::tests {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One line for people, that leaves no placeholder and no unknown number.
void CheckSentence(const std::string& text) {
  CAPTURE(text);
  CHECK_FALSE(text.empty());
  CHECK_FALSE(Has(text, "  "));
  CHECK_FALSE(Has(text, "\n"));
  CHECK_FALSE(Has(text, "rank -1"));
  CHECK_FALSE(Has(text, "ranks none"));
  CHECK_FALSE(Has(text, "()()"));
  CHECK_FALSE(Has(text, " ,"));
  CHECK_FALSE(Has(text, "<module>"));
  CHECK_FALSE(Has(text, " 1 ranks"));
  CHECK_FALSE(Has(text, " 1 calls"));
  if (!text.empty()) {
    CHECK_FALSE(Has(" ,:;-(", std::string(1, text.back())));
    CHECK_FALSE(text.front() == ' ');
  }
}

// Findings about what was not called have no call to show.
bool IsAboutCalls(const Finding& finding) {
  static const std::set<std::string> kWithout = {"env_mismatch", "no_gradient_sync",
                                                 "double_gradient_sync", "duplicate_device"};
  return kWithout.count(finding.kind()) == 0;
}

bool IsAboutPositions(const Finding& finding) {
  static const std::set<std::string> kKinds = {"missing_rank",  "extra_call",    "skipped_call",
                                               "op_mismatch",   "site_mismatch", "order_mismatch",
                                               "uneven_rounds", "late_rank"};
  return kKinds.count(finding.kind()) != 0;
}

void CheckFinding(const Finding& finding) {
  CAPTURE(finding.kind(), finding.message());
  CheckSentence(finding.message());
  CHECK_FALSE(finding.message().back() == '.');
  CheckSentence(finding.advice());
  CHECK(finding.advice().back() == '.');
  CHECK(finding.why_size() > 0);
  std::set<std::string> told;
  for (const std::string& why : finding.why()) {
    CheckSentence(why);
    CHECK(told.insert(why).second);  // not twice
  }
  for (const int rank : finding.victims())
    CHECK(std::count(finding.ranks().begin(), finding.ranks().end(), rank) == 0);
  for (const SiteSide& site : finding.sites()) {
    CHECK(site.rank() >= 0);
    CHECK_FALSE(site.file().empty());
    CHECK(site.frames_size() > 0);
  }
  if (IsAboutCalls(finding)) {
    CHECK(finding.calls_size() > 0);
    CHECK(finding.sites_size() > 0);
  }
  if (!IsAboutPositions(finding)) return;
  CHECK(finding.position() >= 0);
  CHECK_FALSE(finding.communicator().empty());
  // What came before, and who waits or what the other side did.
  const bool says_before =
      std::any_of(finding.why().begin(), finding.why().end(), [](const std::string& why) {
        return Has(why, "the last call that all made") || Has(why, "no collective call was made");
      });
  CHECK(says_before);
  for (const int rank : finding.ranks()) {
    CHECK(std::any_of(finding.sites().begin(), finding.sites().end(),
                      [&](const SiteSide& site) { return site.rank() == rank; }));
  }
}

TEST_CASE("every finding shows its calls, places, positions and reasons, and what to do") {
  std::mt19937 random = PrintedSeed();
  ForEachCase(random, [&](const CorpusCase& of) {
    INFO(of.name());
    for (const Finding& finding : of.whole().findings())
      CheckFinding(finding);
    for (const std::string& limit : of.whole().limits())
      CheckSentence(limit);
    for (const Suspect& suspect : of.whole().suspects())
      CheckSentence(suspect.evidence());
  });
}

TEST_CASE("no suspect contradicts the first finding") {
  std::mt19937 random = PrintedSeed();
  ForEachCase(random, [&](const CorpusCase& of) {
    INFO(of.name());
    if (of.whole().findings().empty()) return;
    const std::string& kind = of.whole().findings(0).kind();
    const std::string& message = of.whole().findings(0).message();
    // Of other groups the environment says nothing.
    const bool world_incomplete =
        kind == "init_incomplete" &&
        (Has(message, "the rendezvous") || Has(message, "the construction of the world"));
    for (const Suspect& suspect : of.whole().suspects()) {
      CAPTURE(kind, suspect.id(), suspect.evidence());
      const bool ruled_out = suspect.state() == "ruled_out";
      if (suspect.id() == "early_exit")
        CHECK_FALSE((ruled_out && (kind == "early_exit" || kind == "killed")));
      if (suspect.id() == "collective_under_condition")
        CHECK_FALSE((ruled_out && (kind == "extra_call" || kind == "skipped_call")));
      if (suspect.id() == "uneven_batches") CHECK_FALSE((ruled_out && kind == "uneven_rounds"));
      if (suspect.id() == "rank_environment" || suspect.id() == "port_or_address")
        CHECK_FALSE((ruled_out && world_incomplete));
    }
  });
}

}  // namespace
}  // namespace rollcall::tests
