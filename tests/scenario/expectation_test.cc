// What a case of a corpus expects, and the exit status of `rollcall test`.
#include "tools/rollcall/expectation.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/catch.h"
#include "tests/model/synthetic_job.h"
#include "tools/rollcall/command_line.h"

namespace rollcall::tests {
namespace {

using analyzer::TemporaryFolder;
using Lines = std::vector<std::string>;

Report EarlyExit() {
  Report report;
  Finding* finding = report.add_findings();
  finding->set_kind("early_exit");
  finding->set_severity("error");
  finding->add_ranks(2);
  finding->add_victims(0);
  finding->add_victims(1);
  finding->set_returned_early(true);
  finding->set_position(5);
  finding->set_message("rank 2 returned early");
  SiteSide* site = finding->add_sites();
  site->set_rank(2);
  site->set_file("/home/me/train.py");
  site->set_line(41);
  site->set_function("main");
  report.add_limits("rank 3 not visible here");
  return report;
}

Lines DifferencesOf(const std::string& text) {
  const auto expectation = tools::ParseExpectation(text, "e.txt");
  if (!expectation.ok()) return {std::string(expectation.status().message())};
  return tools::Differences(*expectation, EarlyExit(), 1);
}

TEST_CASE("a report that is as expected differs in nothing") {
  CHECK(DifferencesOf(
            "kind early_exit|killed\nseverity error\nranks 2\nvictims 0,1 # waiting\n"
            "returned_early true\nposition 5\nsite 2 train.py:41 main\nsite 2 train.py:41\n"
            "text returned early\nlimit not visible\nnot_accused 0,1,3\nfindings 1\nexit 1\n")
            .empty());
}

TEST_CASE("every difference is told") {
  CHECK(DifferencesOf("kind none\nranks 1\nsite 2 train.py:42\nsite 1 train.py:1\nnot_accused 2\n"
                      "exit 0\nargument count") ==
        Lines{"kind: expected none, got early_exit", "ranks: expected 1, got 2",
              "site: expected 2 train.py:42, got 2 train.py:41",
              "site: expected 1 train.py:1, got no site of this rank",
              "not_accused: expected nobody of 2, got early_exit of 2", "exit: expected 0, got 1",
              "argument: expected count, got nothing"});
}

TEST_CASE("a word that is not known is told with the nearest one") {
  const Lines lines = DifferencesOf("kind early_exit\nrank 2");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("e.txt:2:1: expected one of kind, ") == 0);
  CHECK(lines[0].find("did you mean 'ranks'?") != std::string::npos);
}

int StatusOfTest(const std::string& corpus, std::string& output) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  const int status = tools::RunCommandLine({"test", corpus});
  std::cout.rdbuf(before);
  output = out.str();
  return status;
}

void AddCase(const TemporaryFolder& corpus, const std::string& name, const std::string& scenario,
             const std::string& expected) {
  std::filesystem::create_directories(corpus.path() + "/" + name);
  corpus.Write(name + "/scenario.txt", scenario);
  corpus.Write(name + "/expected.txt", expected);
}

TEST_CASE("a corpus is judged case by case") {
  const TemporaryFolder corpus;
  std::string output;
  CHECK(StatusOfTest(corpus.path(), output) == 2);
  AddCase(corpus, "a/good", "world 2\n0-1: barrier @t.py:1\n", "kind none\nexit 0\n");
  CHECK(StatusOfTest(corpus.path(), output) == 0);
  CHECK(output.find("ok    a/good") == 0);
  CHECK(output.find("1 case, 0 differ\n") != std::string::npos);
  AddCase(corpus, "bad", "world 2\n0: barrier @t.py:1\n1: exit 0\n", "kind none\n");
  CHECK(StatusOfTest(corpus.path(), output) == 1);
  CHECK(output.find("      kind: expected none, got early_exit\n2 cases, 1 differ\n") !=
        std::string::npos);
  AddCase(corpus, "broken", "world 2\n0: barier\n", "kind none\n");
  CHECK(StatusOfTest(corpus.path(), output) == 2);
  CHECK(output.find("did you mean 'barrier'?") != std::string::npos);
}

}  // namespace
}  // namespace rollcall::tests
