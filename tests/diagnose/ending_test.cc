// Which errors are the library's, and which ends are a process's own.
#include "analyzer/match/ending.h"

#include "tests/catch.h"
#include "tests/diagnose/finding.h"

namespace rollcall::tests {
namespace {

using analyzer::JudgeEndings;
using analyzer::LibraryError;
using analyzer::LibraryErrorOf;
using analyzer::Part;

TEST_CASE("errors of the library are told from errors of the program", "[ending]") {
  CHECK(LibraryErrorOf("RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] "
                       "Connection closed by peer "
                       "[127.0.0.1]:1234. This is typically caused by a remote worker crashing.") ==
        LibraryError::kConnection);
  CHECK(LibraryErrorOf("RuntimeError: [./gloo/transport/tcp/unbound_buffer.cc:81] Timed out "
                       "waiting 5000ms for recv operation to complete") == LibraryError::kTimeout);
  CHECK(LibraryErrorOf("RuntimeError: [enforce fail at ./gloo/transport/tcp/pair.cc:510] "
                       "op.preamble.length <= op.nbytes. 12 vs 8") == LibraryError::kSize);
  CHECK(LibraryErrorOf("RuntimeError: Detected mismatch between collectives on ranks.") ==
        LibraryError::kDisagreement);
  CHECK(LibraryErrorOf("ValueError: loss is nan") == LibraryError::kNone);
  CHECK(
      LibraryErrorOf("RuntimeError: Expected to have finished reduction in the prior iteration") ==
      LibraryError::kNone);
}

TEST_CASE("whoever gives up after a failed call has reacted, whatever its exit status",
          "[ending]") {
  analyzer::Job job = JobFromText(R"(
    world 2
    0: barrier @t.py:5 !failed
    0: exit 3
    1: busy @t.py:7
  )");
  CHECK(JudgeEndings(job)[0].part == Part::kReaction);
  CHECK(JudgeEndings(job)[1].part == Part::kRunning);
}

TEST_CASE("refused arguments are the program's own error", "[ending]") {
  analyzer::Job job = JobFromText(R"(
    world 2
    0: allreduce 8 f32 avg @t.py:5 !failed
    0: raise "RuntimeError: Cannot use ReduceOp.AVG with Gloo"
    1: busy @t.py:7
  )");
  CHECK(JudgeEndings(job)[0].part == Part::kRaised);
}

TEST_CASE("one signal for all that were left is the end of the job", "[ending]") {
  const analyzer::Job all =
      JobFromText("world 3\n0-2: barrier @t.py:5 !entered\n0-2: signal TERM\n");
  for (const analyzer::Ending& ending : JudgeEndings(all))
    CHECK(ending.with_job);
  const analyzer::Job one = JobFromText("world 3\n0-2: barrier @t.py:5 !entered\n1: signal TERM\n");
  CHECK(JudgeEndings(one)[1].part == Part::kKilled);
}

TEST_CASE("a process that was killed before the others gave up was killed", "[ending]") {
  const analyzer::Job job = JobFromText(R"(
    world 3
    0-2: barrier @t.py:5
    1: vanish
    0,2: barrier @t.py:5 !failed
    0,2: raise "RuntimeError: Connection closed by peer"
  )");
  CHECK(JudgeEndings(job)[1].part == Part::kKilled);
}

TEST_CASE("a process that was killed long before the launcher killed what was left was killed",
          "[ending]") {
  const analyzer::Job job = JobFromText(R"(
    world 4
    0-3: barrier @t.py:5
    3: vanish
    2: barrier @t.py:5 !failed
    2: raise "RuntimeError: Connection closed by peer"
    0,1: late 20 @t.py:5
    0,1: barrier @t.py:5 !entered
    0,1: vanish
  )");
  CHECK(JudgeEndings(job)[3].part == Part::kKilled);
  CHECK(JudgeEndings(job)[0].with_job);
  CHECK(JudgeEndings(job)[1].with_job);
}

}  // namespace
}  // namespace rollcall::tests
