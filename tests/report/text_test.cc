// The report for people, as a tired one sees it.
#include "analyzer/report/report_text.h"

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/report/text_layout.h"
#include "tests/catch.h"
#include "tests/diagnose/job_text.h"

namespace rollcall::tests {
namespace {

using analyzer::Diagnose;
using analyzer::TextOptions;
using analyzer::TextReport;

std::string Head(const std::string& text, const std::string& until) {
  return text.substr(0, text.find(until));
}

TEST_CASE("a whole report reads from the verdict to the advice", "[text]") {
  const std::string text = TextReport(Diagnose(JobFromText(R"(
    world 4
    0-3: allreduce 1024 f32 sum @train.py:41 in main x5
    2: exit 0
    0,1,3: barrier @train.py:57 in main
  )")),
                                      TextOptions{});
  CHECK(
      Head(text, "\nThe usual suspects") ==
      R"(rank 2 returned early: left main() after its allreduce at train.py:41 (exit status 0) while ranks 0, 1, 3 wait in barrier at train.py:57

What happened: early_exit, communicator world
  rank     where        for    at position 5
  2        train.py:41  -      ended before
  0, 1, 3  train.py:57  100 s  barrier, pending

Where
  rank 2, in torch.distributed.all_reduce
    train.py:41 in main
  ranks 0, 1, 3, in torch.distributed.barrier
    train.py:57 in main

Why
  - rank 2: left main() after its allreduce at train.py:41 (exit status 0)
  - rank 2: ended 0.0 s after its last call
  - the line of rank 2 is that of its last collective call: it ended somewhere behind it
  - ranks 0, 1, 3 wait in barrier at train.py:57, in the world at position 5, for up to 100 s
  - the last call that all made is allreduce of 1024 f32 (sum) at train.py:41 in main() (position 4)

What to do
  Let every rank reach the same collective calls: look for a return, break, exit or condition on
  this rank's path between the two lines, such as a shorter data loader, an empty batch, or code
  under a rank test. If a rank may stop early, let all ranks agree on it (all_reduce a flag) before
  they go on.
)");
}

TEST_CASE("hundreds of ranks fold into one row", "[text]") {
  const std::string text = TextReport(
      Diagnose(JobFromText("world 100\n0-87,89-99: barrier @t.py:5\n88: busy @t.py:9\n")),
      TextOptions{});
  CHECK(text.find("\n  0-87, 89-99  t.py:5  100 s  barrier, pending\n") != std::string::npos);
}

TEST_CASE("lines stay within the width, and colours are written on request only", "[text]") {
  const Report report = Diagnose(JobFromText("world 2\n0,1: barrier @t.py:5 !entered\n"));
  TextOptions options;
  options.width = 60;
  std::string text = TextReport(report, options);
  CHECK(text.find('\033') == std::string::npos);
  text = text.substr(text.find("Why"));
  text = text.substr(0, text.find("The usual"));
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    CHECK(end - begin <= 60);
  options.colour = true;
  CHECK(TextReport(report, options).find("\033[1;31m") == 0);
  options.plain = true;
  CHECK(TextReport(report, options).find('\033') == std::string::npos);
}

TEST_CASE("a job without a problem is one line and the suspects", "[text]") {
  const std::string text =
      TextReport(Diagnose(JobFromText("world 2\n0,1: barrier @t.py:5\n")), TextOptions{});
  CHECK(Head(text, "\n") == "no problem found: 2 ranks, 1 collective call, all in step");
}

TEST_CASE("a finding about no call is said in words, without a table of calls", "[text]") {
  const std::string text = TextReport(Diagnose(JobFromText(R"(
    world 4
    backend nccl
    env 2-3 NCCL_ALGO=Tree
    0-3: allreduce 8 f32 sum @train.py:41 in main x10
    0-3: sync @train.py:42 in main
  )")),
                                      TextOptions());
  CHECK(text.find("What happened: env_mismatch\n  the environment that all ranks must") !=
        std::string::npos);
  CHECK(text.find("never came") == std::string::npos);
}

TEST_CASE("the source line is shown when the file can be read", "[text]") {
  CHECK(analyzer::SourceLine(__FILE__, 1) == "// The report for people, as a tired one sees it.");
  CHECK(analyzer::SourceLine("/nowhere/train.py", 1).empty());
  CHECK(analyzer::SourceLine("/dev/zero", 1).empty());
}

}  // namespace
}  // namespace rollcall::tests
