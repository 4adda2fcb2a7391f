// What is written once: stacks, code, communicators, facts of the process.
#include <set>
#include <thread>
#include <vector>

#include "interpose/core/environment.h"
#include "interpose/core/valid_text.h"
#include "tests/catch.h"
#include "tests/interpose/core/recording_child.h"

using namespace rollcall::interpose;
using namespace rollcall::interpose::test;

namespace {

std::vector<rollcall::Definition> Record(const std::function<void()>& body) {
  const TemporaryFolder folder;
  REQUIRE(RunChild([&] {
            OpenOrExit(folder.path());
            body();
            return 0;
          }) == 0);
  const TraceView view = ViewTrace(ReadWhole(TracePath(folder.path())));
  REQUIRE(view.parsed);
  std::vector<rollcall::Definition> definitions;
  for (const auto& segment : view.trace.definitions())
    definitions.insert(definitions.end(), segment.definition().begin(), segment.definition().end());
  return definitions;
}

template <class Has>
std::vector<rollcall::Definition> Only(std::vector<rollcall::Definition> all, Has has) {
  std::vector<rollcall::Definition> chosen;
  for (const auto& definition : all)
    if ((definition.*has)()) chosen.push_back(definition);
  return chosen;
}

}  // namespace

TEST_CASE("two threads that meet the same stacks write them once", "[core]") {
  const auto definitions = Only(Record([] {
                                  const auto define = [] {
                                    for (std::uint32_t i = 1; i <= 1000; ++i) {
                                      const std::uint32_t code[] = {i, 7};
                                      const std::int32_t offsets[] = {-1, 12};
                                      DefinePythonStack(code, offsets, 2, i % 2);
                                    }
                                  };
                                  std::thread first(define), second(define);
                                  first.join();
                                  second.join();
                                }),
                                &rollcall::Definition::has_python_stack);
  REQUIRE(definitions.size() == 1000);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const rollcall::PythonStack& stack = definitions[i].python_stack();
    CHECK(stack.id() == i + 1);
    REQUIRE(stack.code_size() == 2);
    REQUIRE(stack.offset_size() == 2);
    CHECK(stack.offset(0) == -1);
    CHECK(stack.offset(1) == 12);
    CHECK(stack.truncated() == (stack.code(0) % 2 == 1));
  }
}

TEST_CASE("a code object keeps its text valid and its table as it is", "[core]") {
  const std::string table(20000, '\x81');
  const auto definitions = Only(Record([&] {
                                  const char name[] = "caf\xc3\xa9\xff";
                                  DefineCode("a.py", 4, name, sizeof name - 1, 10, "\x00\x01", 2);
                                  DefineCode("b.py", 4, "f", 1, 1, table.data(), table.size());
                                }),
                                &rollcall::Definition::has_code);
  REQUIRE(definitions.size() == 2);
  CHECK(definitions[0].code().file() == "a.py");
  CHECK(definitions[0].code().function() == "caf\xc3\xa9?");
  CHECK(definitions[0].code().first_line() == 10);
  CHECK(definitions[0].code().line_table() == std::string("\x00\x01", 2));
  // What does not fit into a segment is cut, the beginning stays.
  CHECK(definitions[1].code().line_table().size() > 16000);
}

TEST_CASE("communicators with one digest are told apart by their occurrence", "[core]") {
  const auto definitions = Only(Record([] {
                                  DefineWorld(4, 11);
                                  DefineWorld(4, 12);
                                  NameCommunicator(DefineWorld(4, 11), "tp");
                                }),
                                &rollcall::Definition::has_communicator);
  REQUIRE(definitions.size() == 4);
  CHECK(definitions[0].communicator().occurrence() == 0);
  CHECK(definitions[1].communicator().occurrence() == 0);
  CHECK(definitions[2].communicator().occurrence() == 1);
  // A name that is learned later: the definition again, with it.
  CHECK(definitions[3].communicator().id() == definitions[2].communicator().id());
  CHECK(definitions[3].communicator().name() == "tp");
  CHECK(definitions[3].communicator().size() == 4);
}

TEST_CASE("settings are written once for each value", "[core]") {
  const auto definitions = Only(Record([] {
                                  for (const char* value : {"1", "1", "2"})
                                    DefineSetting("hook.x", value);
                                }),
                                &rollcall::Definition::has_setting);
  std::vector<std::string> values;
  for (const auto& definition : definitions)
    if (definition.setting().name() == "hook.x") values.push_back(definition.setting().value());
  CHECK(values == std::vector<std::string>{"1", "2"});
}

TEST_CASE("of the environment only what is listed is written, and no secret", "[core]") {
  setenv("RANK", "3", 1);
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("NCCL_API_KEY", "hush", 1);
  setenv("HOME", "/home/hush", 1);
  std::map<std::string, std::string> settings;
  for (const auto& definition : Only(Record([] {}), &rollcall::Definition::has_setting))
    settings[definition.setting().name()] = definition.setting().value();
  CHECK(settings["env.RANK"] == "3");
  CHECK(settings["env.NCCL_DEBUG"] == "INFO");
  CHECK(settings.count("executable") == 1);
  CHECK(settings.count("cwd") == 1);
  for (const auto& [name, value] : settings)
    CHECK(value.find("hush") == std::string::npos);
  for (const char* name : {"ROLLCALL_AUTH_TOKEN", "GLOO_PASSWORD", "PATH", "AWS_SECRET", "NCCL"})
    CHECK_FALSE(EnvironmentIsRecorded(name));
}

TEST_CASE("text of the guest comes out as valid UTF-8, never half a character", "[core]") {
  const auto copy = [](const std::string& text, std::size_t capacity) {
    std::string out(capacity, 'x');
    out.resize(CopyValidText(reinterpret_cast<std::uint8_t*>(out.data()), capacity, text.data(),
                             text.size()));
    return out;
  };
  CHECK(copy("abc", 10) == "abc");
  CHECK(copy("\xe4\xbd\xa0\xe5\xa5\xbd", 10) == "\xe4\xbd\xa0\xe5\xa5\xbd");
  CHECK(copy("\xe4\xbd\xa0\xe5\xa5\xbd", 5) == "\xe4\xbd\xa0");
  CHECK(copy("\xed\xa0\x80", 10) == "???");       // a surrogate
  CHECK(copy("\xc0\xaf", 10) == "??");            // longer than need be
  CHECK(copy("\xf4\x90\x80\x80", 10) == "????");  // beyond U+10FFFF
  CHECK(copy("a\xe4\xbd", 10) == "a??");          // cut short
}
