// The scenario language is read as tests/README.md describes it, and what is wrong is told exactly.
#include "analyzer/scenario/parse.h"

#include <fstream>
#include <iterator>

#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::scenario::ParseScenario;
using analyzer::scenario::Scenario;
using analyzer::scenario::Statement;
using analyzer::scenario::Verb;

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text, "s.txt");
  return scenario.ok() ? "" : std::string(scenario.status().message());
}

Scenario Parsed(const std::string& text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text, "s.txt");
  if (!scenario.ok()) throw std::runtime_error(std::string(scenario.status().message()));
  return *scenario;
}

TEST_CASE("every example of the grammar is understood") {
  std::ifstream file(ROLLCALL_TESTS_README);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  int examples = 0;
  for (std::size_t at = text.find("(* "); at != std::string::npos; at = text.find("(* ", at + 1)) {
    const std::string example = text.substr(at + 3, text.find(" *)", at) - at - 3);
    const std::string before =
        example.rfind("world", 0) == 0 ? "" : "world 4\ncomm tp 0,1\nprocess p4 rank=1\n";
    INFO(example);
    CHECK(ErrorOf(before + example) == "");
    ++examples;
  }
  CHECK(examples >= 50);
}

TEST_CASE("every line of the grammar has an example") {
  std::ifstream file(ROLLCALL_TESTS_README);
  std::string line, rule;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line.rfind("```", 0) == 0) inside = line == "```ebnf";
    if (!inside || line.rfind("```", 0) == 0) continue;
    rule += line;
    if (line.find(';') == std::string::npos) continue;  // goes on in the next line
    INFO(rule);
    CHECK(rule.find("(* ") != std::string::npos);
    rule.clear();
  }
}

TEST_CASE("errors name place, what was expected, what was found, and the nearest word") {
  CHECK(ErrorOf("world 4\n0-3: allreduse 8 f32\n") ==
        "s.txt:2:6: expected an operation, or what a process does, found 'allreduse'; did you mean "
        "'allreduce'?");
  CHECK(ErrorOf("world 4\n0: allreduce 8 f33\n") ==
        "s.txt:2:16: expected a datatype, found 'f33'; did you mean 'f32'?");
  CHECK(ErrorOf("world 4\n0: allreduce 8 f32 smu\n") ==
        "s.txt:2:20: expected a reduce operation or a modifier, found 'smu'; did you mean 'sum'?");
  CHECK(ErrorOf("world 4\n0: broadcast 8 f32 rot=1\n") ==
        "s.txt:2:20: expected one of root=, stream=, thread=, found 'rot='; did you mean 'root='?");
  CHECK(ErrorOf("world 4\n0: broadcast 8 f32\n") ==
        "s.txt:2:19: expected root=RANK behind broadcast, found the end of the line");
  CHECK(ErrorOf("world 4\n0: barrier !enterd\n") ==
        "s.txt:2:12: expected a state (!entered, !queued, !completed, !failed, !aborted), found "
        "'!enterd'; did you mean '!entered'?");
  CHECK(ErrorOf("world 4\n0,4: barrier\n") == "s.txt:2:3: expected a rank below 4, found '4'");
  CHECK(ErrorOf("world 4\n3-1: barrier\n") ==
        "s.txt:2:1: expected a range that rises, found '3-1'");
  CHECK(ErrorOf("world 4\nbarrier\n") ==
        "s.txt:2:1: expected ranks and a colon, such as 0-3:, found 'barrier'");
  CHECK(ErrorOf("world 4\nbackend ncl\n") ==
        "s.txt:2:9: expected gloo or nccl, found 'ncl'; did you mean 'nccl'?");
  CHECK(ErrorOf("wold 4\n") ==
        "s.txt:1:1: expected world, backend, comm, host, env, process, repeat, or ranks and a "
        "colon, found 'wold'; did you mean 'world'?");
  CHECK(ErrorOf("0: barrier\n") == "s.txt:1:1: expected 'world NUMBER' first, found '0:'");
  CHECK(ErrorOf("world 4\nrepeat 5 { 0: barrier\n") ==
        "s.txt:3:1: expected '}' for the '{' of line 2, found the end of the text");
  CHECK(ErrorOf("world 4\n0: signal SEGVV\n") ==
        "s.txt:2:11: expected the name of a signal, found 'SEGVV'; did you mean 'SEGV'?");
  CHECK(ErrorOf("world 4\n0: raise \"ValueError\n") ==
        "s.txt:2:10: expected a '\"' that ends this text on its line");
  CHECK(ErrorOf("world 4\n0: barrier @train.py\n") ==
        "s.txt:2:12: expected @FILE:LINE, found '@train.py'");
  CHECK(ErrorOf("") == "s.txt:1:1: expected 'world NUMBER' first, found the end of the text");
}

TEST_CASE("modifiers stand in any order") {
  for (const char* text :
       {"world 4\n1: allreduce 8 f32 max on tp @a.py:3 in main>f stream=2 !queued",
        "world 4\n1: allreduce !queued stream=2 in main>f on tp max @a.py:3 f32 8"}) {
    const Scenario scenario = Parsed(text);
    REQUIRE(scenario.statements.size() == 1);
    const Statement& statement = scenario.statements[0];
    CHECK(statement.count == 8);
    CHECK(statement.datatype == DATATYPE_F32);
    CHECK(statement.redop == REDUCE_OPERATION_MAX);
    CHECK(statement.communicator == "tp");
    CHECK(statement.file == "a.py");
    CHECK(statement.line == 3);
    CHECK(statement.functions == std::vector<std::string>{"main", "f"});
    CHECK(statement.stream == 2);
    CHECK(statement.forced == analyzer::scenario::Forced::kQueued);
  }
}

TEST_CASE("repeats nest, span lines, and keep the order of every rank") {
  const Scenario scenario = Parsed(R"(
    world 2
    repeat 2 {
      0-1: allreduce 1 f32
      repeat 3 { 1: allgather 2 f32 ; barrier }
    }
    0: barrier x2
  )");
  CHECK(scenario.scripts[0] == std::vector<int>{0, 0, 3, 3});
  CHECK(scenario.scripts[1] == std::vector<int>{0, 1, 2, 1, 2, 1, 2, 0, 1, 2, 1, 2, 1, 2});
}

TEST_CASE("groups are opened and closed around their members") {
  const Scenario scenario =
      Parsed("world 2\n0: group { send 1 f32 to=1\n recv 1 f32 from=1 } ; sync");
  std::vector<Verb> verbs;
  for (const int index : scenario.scripts[0])
    verbs.push_back(scenario.statements[static_cast<std::size_t>(index)].verb);
  CHECK(verbs ==
        std::vector<Verb>{Verb::kGroup, Verb::kCall, Verb::kCall, Verb::kGroupClose, Verb::kCall});
}

}  // namespace
}  // namespace rollcall::tests
