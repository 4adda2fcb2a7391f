#include "tests/tools/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace rollcall::tests {
namespace {

constexpr auto kPause = std::chrono::milliseconds(5);
constexpr auto kDeadline = std::chrono::seconds(60);

std::string MakeFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rollcall-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

TemporaryFolder::TemporaryFolder(const std::string& name)
    : root_(MakeFolder()), path_(root_ + "/" + name) {
  std::filesystem::create_directory(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(root_, error);
}

Program::Program(const std::vector<std::string>& words, const ProgramOptions& options)
    : folder_(MakeFolder()) {
  std::ofstream(folder_ + "/in") << options.input;
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  for (const auto& [name, value] : options.environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  if (dup2(open((folder_ + "/in").c_str(), O_RDONLY), 0) < 0 ||
      dup2(open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 1) < 0 ||
      dup2(open((folder_ + "/err").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 2) < 0 ||
      (!options.folder.empty() && chdir(options.folder.c_str()) != 0)) {
    _exit(99);
  }
  execvp(arguments[0], arguments.data());
  _exit(98);
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

bool Program::WaitForOutput(const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + kDeadline;
  while (ReadFile(folder_ + "/out").find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

Outcome Program::Wait() {
  const auto until = std::chrono::steady_clock::now() + kDeadline;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) != pid_) {
    if (std::chrono::steady_clock::now() > until) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(kPause);
  }
  pid_ = -1;
  Outcome outcome;
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.output = ReadFile(folder_ + "/out");
  outcome.errors = ReadFile(folder_ + "/err");
  return outcome;
}

Outcome RunProgram(const std::vector<std::string>& words, const ProgramOptions& options) {
  return Program(words, options).Wait();
}

}  // namespace rollcall::tests
