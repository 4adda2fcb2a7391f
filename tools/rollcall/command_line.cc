#include "tools/rollcall/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/scenario/closest_word.h"
#include "tools/rollcall/commands.h"

namespace rollcall::tools {
namespace {

void PrintOverview(std::ostream& out) {
  out << "Finds the rank that broke step in a distributed training job.\n\nUsage: rollcall COMMAND "
         "...\n\nCommands:\n";
  for (const Command& command : Commands()) {
    out << "  " << command.name << std::string(10 - std::string(command.name).size(), ' ')
        << command.synopsis << "\n";
  }
  out << "\nrollcall COMMAND --help says more; rollcall --version says which one this "
         "is.\n\nExample:\n  "
      << Commands().front().example << "\n";
}

int WrongUsage(const std::string& message, const std::string& meant, const std::string& help) {
  std::cerr << "rollcall: " << message;
  if (!meant.empty()) std::cerr << "; did you mean '" << meant << "'?";
  std::cerr << "\nTry '" << help << "'.\n";
  return kWrongUsage;
}

std::vector<std::string> OptionNames(const CLI::App& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options.get_options()) {
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

class JobFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] -- COMMAND...\n";
  }
};

// Words behind the first `--` belong to the job, exactly as they are: CLI11 must not see them.
std::vector<std::string> TakeJob(std::vector<std::string>& words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return {};
  std::vector<std::string> job(mark + 1, words.end());
  words.erase(mark, words.end());
  return job;
}

int RunCommand(const Command& command, std::vector<std::string> words) {
  const std::string name = std::string("rollcall ") + command.name;
  const std::vector<std::string> job =
      command.takes_job ? TakeJob(words) : std::vector<std::string>();
  CLI::App options(command.synopsis, name);
  options.footer(std::string("\nExample:\n  ") + command.example);
  if (command.takes_job) options.formatter(std::make_shared<JobFormatter>());
  options.allow_extras();  // told apart here, to suggest what was meant
  const Action action = command.declare(options, job);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    options.parse(words);
  } catch (const CLI::CallForHelp&) {
    std::cout << options.help();
    return kNothingFound;
  } catch (const CLI::ParseError& error) {
    return WrongUsage(error.what(), "", name + " --help");
  }
  for (const std::string& word : options.remaining()) {
    const std::string option = word.substr(0, word.find('='));
    if (word.rfind('-', 0) == 0) {
      return WrongUsage("unknown option '" + option + "'",
                        analyzer::ClosestWord(option, OptionNames(options)), name + " --help");
    }
    if (command.takes_job) {
      return WrongUsage(
          "'" + word + "' stands before '--'; write: " + name + " -- " + word + " ...", "",
          name + " --help");
    }
    return WrongUsage("unexpected word '" + word + "'", "", name + " --help");
  }
  if (command.takes_job && job.empty()) return WrongUsage("no job given", "", name + " --help");
  return action();
}

}  // namespace

int RunCommandLine(std::vector<std::string> words) {
  if (words.empty()) {
    PrintOverview(std::cerr);
    return kWrongUsage;
  }
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "--help" || first == "-h" || (first == "help" && words.empty())) {
    PrintOverview(std::cout);
    return kNothingFound;
  }
  if (first == "--version") {
    std::cout << "rollcall " ROLLCALL_VERSION "\n";
    return kNothingFound;
  }
  if (first == "help") return RunCommandLine({words.front(), "--help"});
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command& command : Commands()) {
    if (first == command.name) return RunCommand(command, words);
    names.push_back(command.name);
  }
  return WrongUsage("no command '" + first + "'", analyzer::ClosestWord(first, names),
                    "rollcall --help");
}

}  // namespace rollcall::tools
