// The differential diagnosis claims what the traces show, and no more.
#include <set>

#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

Suspect SuspectOf(const Report& report, const std::string& id) {
  for (const Suspect& suspect : report.suspects()) {
    if (suspect.id() == id) return suspect;
  }
  throw std::runtime_error("no suspect " + id);
}

TEST_CASE(
    "the cause is confirmed, what the traces exclude is ruled out, the rest comes with a check",
    "[suspects]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 4
    0-3: allreduce 8 f32 sum @train.py:41 in main
    2: exit 0
    0,1,3: barrier @train.py:57 in main
  )"));
  CHECK(SuspectOf(report, "early_exit").state() == "confirmed");
  CHECK(SuspectOf(report, "rank_environment").state() == "ruled_out");
  CHECK(SuspectOf(report, "every_process_alone").state() == "ruled_out");
  CHECK(SuspectOf(report, "sampler").state() == "not_visible");
  CHECK(Says(SuspectOf(report, "sampler").evidence(), "check: "));
}

TEST_CASE("every suspect is in the list once, with one of three states", "[suspects]") {
  const Report report = analyzer::Diagnose(JobFromText("world 2\n0,1: barrier @t.py:1\n"));
  CHECK(report.suspects_size() == 27);
  std::set<std::string> ids;
  for (const Suspect& suspect : report.suspects()) {
    ids.insert(suspect.id());
    CHECK((suspect.state() == "confirmed" || suspect.state() == "ruled_out" ||
           suspect.state() == "not_visible"));
    CHECK_FALSE(suspect.evidence().empty());
  }
  CHECK(static_cast<int>(ids.size()) == report.suspects_size());
}

TEST_CASE("a job in step confirms nothing", "[suspects]") {
  const Report report = analyzer::Diagnose(JobFromText("world 2\n0,1: barrier @t.py:1\n"));
  for (const Suspect& suspect : report.suspects())
    CHECK(suspect.state() != "confirmed");
}

TEST_CASE("two ranks on one device confirm that the device was not set per rank", "[suspects]") {
  const Report report = Judged(R"(
    world 2
    backend nccl
    0-1: device 0
    0-1: init world size=2 @m.py:3 in main !entered
  )");
  CHECK(SuspectOf(report, "device_per_rank").state() == "confirmed");
}

TEST_CASE("what is known of gradients confirms its suspects", "[suspects]") {
  const Report report = Judged(R"(
    world 2
    backend gloo
    0-1: allreduce 1 f32 sum @train.py:30 in main
    repeat 8 { *: backward @train.py:40 in main>train }
    0-1: barrier @train.py:60 in main
  )");
  CHECK(SuspectOf(report, "model_not_wrapped").state() == "confirmed");
  CHECK(SuspectOf(report, "gradients_reduced_twice").state() == "not_visible");
}

TEST_CASE("a rank that came late proves no short timeout while nobody timed out", "[suspects]") {
  const Report report = Judged(R"(
    world 4
    backend nccl
    repeat 10 { 0-3: allreduce 64 f32 sum @t.py:4 in main ; sync @t.py:5 in main }
    0: late 120 @t.py:20 in main>report
    0-3: allreduce 64 f32 sum @t.py:4 in main ; sync @t.py:5 in main
  )");
  CHECK(First(report).kind() == "late_rank");
  CHECK(SuspectOf(report, "timeout_too_short").state() == "ruled_out");
}

}  // namespace
}  // namespace rollcall::tests
