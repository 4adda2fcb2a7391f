// Edit scripts between two sequences of calls, from where they part.
#include "analyzer/align/edit_script.h"

#include <chrono>

#include "analyzer/align/align.h"
#include "tests/catch.h"
#include "tests/diagnose/job_text.h"

namespace rollcall::tests {
namespace {

using analyzer::Align;
using analyzer::Alignment;
using analyzer::CallClasses;
using analyzer::Divergence;
using analyzer::EditKind;
using analyzer::EditScript;
using analyzer::Job;
using analyzer::SiteTable;

// The first divergence of the world: of rank 1 against rank 0 when they are two.
Divergence FirstDivergence(const std::string& scenario) {
  const Job job = JobFromText(scenario);
  const SiteTable sites(job, "");
  const CallClasses classes(job, sites);
  const Alignment alignment = Align(job, 0, classes, sites);
  REQUIRE(alignment.first.size() == 1);
  return alignment.first.front();
}

const std::string kTwo = "world 2\nbackend nccl\n";
const std::string kRounds =
    "repeat 20 { 0,1: allreduce 16 f32 sum @t.py:1 ; allgather 2048 bf16 @t.py:2 ; "
    "reducescatter 64 f32 sum @t.py:3 }\n";

TEST_CASE("a missing call is one edit, and what follows is matched", "[edit_script]") {
  const Divergence divergence = FirstDivergence(
      kTwo + kRounds + "0: allreduce 16 f32 sum @t.py:1\n" +
      "0,1: allgather 2048 bf16 @t.py:2 ; reducescatter 64 f32 sum @t.py:3\n" + kRounds);
  CHECK(divergence.position == 60);
  const EditScript& script = divergence.scripts[1];
  REQUIRE(script.edits.size() == 1);
  CHECK(script.edits[0].kind == EditKind::kMissing);
  CHECK(script.edits[0].others_position == 60);
  CHECK(script.matched == 62);
  CHECK(script.ends_together);
  CHECK(script.Shift() == -1);
}

TEST_CASE("several missing calls are cheaper than one call that is known", "[edit_script]") {
  const Divergence divergence = FirstDivergence(
      kTwo + kRounds + "0: allreduce 16 f32 sum @t.py:1 ; allgather 2048 bf16 @t.py:2\n" +
      "0,1: reducescatter 64 f32 sum @t.py:3\n" + kRounds);
  const EditScript& script = divergence.scripts[1];
  CHECK(script.FirstRun() == 2);
  CHECK(script.Begins(EditKind::kMissing));
  CHECK(script.Shift() == -2);
}

TEST_CASE("an inserted call is one edit", "[edit_script]") {
  const Divergence divergence =
      FirstDivergence(kTwo + kRounds + "1: broadcast 1 i64 root=0 @save.py:4\n" + kRounds);
  const EditScript& script = divergence.scripts[1];
  REQUIRE(script.edits.size() == 1);
  CHECK(script.edits[0].kind == EditKind::kInserted);
  CHECK(script.matched == 60);
}

TEST_CASE("calls in another order are swapped, and the rest is in step", "[edit_script]") {
  const Divergence divergence =
      FirstDivergence(kTwo + kRounds +
                      "0: allgather 7 f32 @t.py:5 ; broadcast 9 f32 root=0 @t.py:6\n"
                      "1: broadcast 9 f32 root=0 @t.py:6 ; allgather 7 f32 @t.py:5\n" +
                      kRounds);
  const EditScript& script = divergence.scripts[1];
  REQUIRE(script.edits.size() == 2);
  CHECK(script.edits[0].kind == EditKind::kSwapped);
  CHECK(script.edits[1].kind == EditKind::kSwapped);
  CHECK(script.Shift() == 0);
}

TEST_CASE("another call in the place of one is replaced", "[edit_script]") {
  const Divergence divergence = FirstDivergence(
      kTwo + kRounds + "0: allgather 7 f32 @t.py:5\n1: broadcast 9 f32 root=0 @t.py:6\n" + kRounds);
  const EditScript& script = divergence.scripts[1];
  REQUIRE(script.edits.size() == 1);
  CHECK(script.edits[0].kind == EditKind::kReplaced);
}

TEST_CASE("sequences that have nothing in common cost no more than a bound", "[edit_script]") {
  analyzer::CallSequence others, deviators;
  const Job job = JobFromText(kTwo + kRounds);
  const SiteTable sites(job, "");
  const CallClasses classes(job, sites);
  const auto random = [state = 1u](unsigned below) mutable {
    state = state * 1664525 + 1013904223;
    return static_cast<int>((state >> 16) % below);
  };
  auto next = random;
  others.classes = {0};
  deviators.classes = {1};
  for (int i = 0; i < 1000; ++i) {
    others.classes.push_back(next(3));
    deviators.classes.push_back(next(3));
  }
  others.places.assign(others.classes.size(), analyzer::kNoSite);
  deviators.places.assign(deviators.classes.size(), analyzer::kNoSite);
  const auto begin = std::chrono::steady_clock::now();
  const EditScript script = CompareSequences(others, deviators, classes);
  CHECK_FALSE(script.edits.empty());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace
}  // namespace rollcall::tests
