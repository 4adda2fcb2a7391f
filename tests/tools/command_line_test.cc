// Help, suggestions and wrong usage.
#include "analyzer/scenario/closest_word.h"
#include "tests/catch.h"
#include "tests/tools/command.h"
#include "tools/rollcall/command.h"

namespace rollcall::tests {

TEST_CASE("an unknown command is answered with the one that was meant") {
  const Outcome outcome = RunProgram(Rollcall({"analyse", "x"}));
  CHECK(outcome.status == 64);
  CHECK(Contains(outcome.errors, "did you mean 'analyze'?"));
  CHECK(outcome.output.empty());
}

TEST_CASE("an unknown option is answered with the one that was meant") {
  const Outcome outcome = RunProgram(Rollcall({"analyze", "--jsn", "-", "x"}));
  CHECK(outcome.status == 64);
  CHECK(Contains(outcome.errors, "did you mean '--json'?"));
}

TEST_CASE("a word that is near nothing gets no suggestion") {
  const Outcome outcome = RunProgram(Rollcall({"frobnicate"}));
  CHECK(outcome.status == 64);
  CHECK_FALSE(Contains(outcome.errors, "did you mean"));
}

TEST_CASE("wrong usage exits with 64") {
  CHECK(RunProgram(Rollcall({})).status == 64);
  CHECK(RunProgram(Rollcall({"analyze"})).status == 64);
  CHECK(RunProgram(Rollcall({"analyze", "--fail-on", "rain", "x"})).status == 64);
  CHECK(RunProgram(Rollcall({"run"})).status == 64);
  CHECK(RunProgram(Rollcall({"run", "--hang-after", "soon", "--", "true"})).status == 64);
}

TEST_CASE("a job without -- before it is wrong usage that says what to write") {
  const Outcome outcome = RunProgram(Rollcall({"run", "true"}));
  CHECK(outcome.status == 64);
  CHECK(Contains(outcome.errors, "rollcall run -- true"));
}

TEST_CASE("the help of every command shows its example, on stdout") {
  const Outcome overview = RunProgram(Rollcall({"--help"}));
  CHECK(overview.status == 0);
  CHECK(overview.errors.empty());
  for (const tools::Command& command : tools::Commands()) {
    CAPTURE(command.name);
    CHECK(Contains(overview.output, command.synopsis));
    const Outcome help = RunProgram(Rollcall({command.name, "--help"}));
    CHECK(help.status == 0);
    CHECK(Contains(help.output, command.example));
    CHECK(help.errors.empty());
  }
}

TEST_CASE("the version is that of the project") {
  const Outcome outcome = RunProgram(Rollcall({"--version"}));
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "rollcall " ROLLCALL_VERSION "\n");
}

TEST_CASE("the closest word is found through a swap, a missing and a wrong letter") {
  const std::vector<std::string> words = {"run", "analyze", "dump"};
  CHECK(analyzer::ClosestWord("anaylze", words) == "analyze");
  CHECK(analyzer::ClosestWord("dmp", words) == "dump");
  CHECK(analyzer::ClosestWord("rum", words) == "run");
  CHECK(analyzer::ClosestWord("zzz", words).empty());
}

}  // namespace rollcall::tests
