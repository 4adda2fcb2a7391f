// Errors that nobody noticed, in jobs that ended well.
#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using Numbers = std::vector<int>;

// Rank 2 of 3 calls the odd one, between rounds that are in step.
Report Silent(const std::string& backend, const std::string& usual, const std::string& odd) {
  const std::string round = "0-2: allreduce 8 f32 sum @t.py:1 in main x10\n";
  return analyzer::Diagnose(JobFromText("world 3\nbackend " + backend + "\n" + round +
                                        "0,1: " + usual + "\n2: " + odd + "\n" + round));
}

TEST_CASE("silent errors are found in jobs that ended well", "[silent]") {
  struct Error {
    const char *kind, *argument, *usual, *odd;
  };
  for (const std::string backend : {"gloo", "nccl"}) {
    for (const Error& error :
         {Error{"arg_mismatch", "count", "allreduce 64 f32 sum @t.py:4 in main !completed",
                "allreduce 62 f32 sum @t.py:4 in main !completed"},
          Error{"arg_mismatch", "datatype", "allreduce 2 f32 sum @t.py:4 in main !completed",
                "allreduce 2 i32 sum @t.py:4 in main !completed"},
          Error{"arg_mismatch", "redop", "allreduce 2 f32 sum @t.py:4 in main",
                "allreduce 2 f32 max @t.py:4 in main"},
          Error{"arg_mismatch", "root", "reduce 2 f32 sum root=0 @t.py:4 in main !completed",
                "reduce 2 f32 sum root=1 @t.py:4 in main !completed"},
          Error{"order_mismatch", "",
                "allreduce 8 f32 sum @t.py:4 in main !completed ; allgather 2 f32 @t.py:5 in main "
                "!completed",
                "allgather 2 f32 @t.py:5 in main !completed ; allreduce 8 f32 sum @t.py:4 in main "
                "!completed"},
          Error{"site_mismatch", "", "allreduce 8 f32 sum @t.py:4 in main>loss",
                "allreduce 8 f32 sum @t.py:9 in main>metric"}}) {
      INFO(backend << ": " << error.kind << " " << error.argument);
      const Report report = Silent(backend, error.usual, error.odd);
      REQUIRE(report.findings_size() == 1);
      CHECK(First(report).kind() == error.kind);
      CHECK(First(report).argument() == error.argument);
      CHECK(RanksOf(First(report)) == Numbers{2});
      CHECK(First(report).position() == 10);
    }
  }
}

TEST_CASE("an error in every round is told once", "[silent]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 3
    backend nccl
    repeat 50 { 0-2: allreduce 64 f32 sum @t.py:1 in main ; 0,1: allreduce 2 f32 sum @t.py:4 in main ; 2: allreduce 2 f64 sum @t.py:4 in main }
  )"));
  REQUIRE(report.findings_size() == 1);
  CHECK(First(report).argument() == "datatype");
}

TEST_CASE("a call that some replay and others make directly is told", "[silent]") {
  const std::string graph =
      "world 3\nbackend nccl\n*: capture g { allreduce 8 f32 sum @t.py:4 in main } ; replay g x5\n";
  const Report well = analyzer::Diagnose(
      JobFromText(graph + "0,1: replay g x3\n2: allreduce 8 f32 sum @t.py:7 in main x3\n"
                          "*: replay g x2 ; sync @t.py:9 in main"));
  REQUIRE(well.findings_size() == 1);
  CHECK(First(well).kind() == "arg_mismatch");
  CHECK(First(well).argument() == "capture");
  CHECK(RanksOf(First(well)) == Numbers{2});
  CHECK(First(well).position() == 5);

  const Report hangs = analyzer::Diagnose(
      JobFromText(graph + "0,1: replay g x3\n2: allreduce 8 f32 sum @t.py:7 in main x2 ; "
                          "allreduce 8 f32 sum @t.py:7 in main !queued\n*: sync @t.py:9 in main"));
  CHECK(First(hangs).argument() == "capture");
  CHECK(RanksOf(First(hangs)) == Numbers{2});

  CHECK(analyzer::Diagnose(JobFromText(graph + "*: allreduce 8 f32 sum @t.py:7 in main x3\n"
                                               "*: replay g x2 ; sync @t.py:9 in main"))
            .findings()
            .empty());
}

TEST_CASE("one path that differs makes one finding", "[silent]") {
  const Report report = analyzer::Diagnose(JobFromText(R"(
    world 3
    0,1: allreduce 8 f32 sum @a.py:1 in main>one ; allreduce 9 f32 sum @a.py:2 in main>one ; allreduce 7 f32 sum @a.py:3 in main>one
    2: allreduce 8 f32 sum @b.py:1 in main>two ; allreduce 9 f32 sum @b.py:2 in main>two ; allreduce 7 f32 sum @b.py:3 in main>two
  )"));
  REQUIRE(report.findings_size() == 1);
  CHECK(First(report).kind() == "site_mismatch");
}

}  // namespace
}  // namespace rollcall::tests
