// Native stacks from the recorder's capture to names: the module table and its build-ids, libdw and
// debug files, and what is said where nothing is known.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/trace/symbols.h"
#include "interpose/native/capture.h"
#include "tests/catch.h"
#include "tests/python/memory_recorder.h"

namespace rollcall::tests {
namespace {

namespace files = std::filesystem;
using analyzer::Symbol;
using analyzer::SymbolFinder;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/rollcall-symbols-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { files::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Where a call came from, in one module.
struct Captured {
  RecordedModule module;
  std::vector<std::uint64_t> addresses;  // within the calls, as linked
};

Captured CaptureIn(const std::string& path) {
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(plugin != nullptr);
  std::uint32_t id = 0;
  reinterpret_cast<void (*)(void (*)(void*), void*)>(dlsym(plugin, "CallThrough"))(
      [](void* into) {
        *static_cast<std::uint32_t*>(into) = interpose::CaptureNativeStack();
        asm volatile("" ::: "memory");
      },
      &id);
  dlclose(plugin);
  MemoryRecorder& recorder = TheMemoryRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  REQUIRE(id != 0);
  const RecordedNativeStack& stack = recorder.native_stacks.at(id - 1);
  Captured captured;
  for (const RecordedModule& module : recorder.modules)
    if (module.epoch <= stack.epoch && module.path == path) captured.module = module;
  for (const std::uint64_t pc : stack.pc)
    if (pc > captured.module.low && pc <= captured.module.high)
      captured.addresses.push_back(pc - 1 - captured.module.bias);
  REQUIRE(captured.addresses.size() == 3);
  REQUIRE(captured.module.build_id.size() >= 8);
  return captured;
}

std::vector<std::optional<Symbol>> Resolve(const Captured& captured, SymbolFinder& finder) {
  std::vector<std::optional<Symbol>> symbols;
  for (const std::uint64_t address : captured.addresses)
    symbols.push_back(finder.Find(captured.module.path, captured.module.build_id, address));
  return symbols;
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

void CheckWhole(const std::vector<std::optional<Symbol>>& symbols) {
  REQUIRE((symbols[0] && symbols[1] && symbols[2]));
  CHECK(symbols[0]->function == "(anonymous namespace)::HiddenFunction(void (*)(void*), void*)");
  CHECK(symbols[1]->function == "symbols::Engine::Run(void (*)(void*), void*)");
  CHECK(symbols[2]->function == "CallThrough");
  int before = 0;
  for (const auto& symbol : symbols) {
    CHECK(files::path(symbol->file).filename() == "symbols_plugin.cc");
    CHECK(symbol->line > before);
    before = symbol->line;
  }
}

// Exported names are there still; the function between them has none, and takes none of theirs.
void CheckStripped(const std::vector<std::optional<Symbol>>& symbols) {
  CHECK_FALSE(symbols[0]);
  REQUIRE((symbols[1] && symbols[2]));
  CHECK(symbols[1]->function == "symbols::Engine::Run(void (*)(void*), void*)");
  CHECK(symbols[2]->function == "CallThrough");
  CHECK(symbols[2]->line == 0);
}

}  // namespace

TEST_CASE("native frames have names and lines where there is debug information", "[native]") {
  SymbolFinder finder;
  CheckWhole(Resolve(CaptureIn(SYMBOLS_PLUGIN), finder));
}

TEST_CASE("a stripped library names what it exports, and nothing else", "[native]") {
  SymbolFinder finder;
  CheckStripped(Resolve(CaptureIn(SYMBOLS_PLUGIN_STRIPPED), finder));
}

TEST_CASE("a debug file is found by its build-id", "[native]") {
  const Folder folder;
  const Captured captured = CaptureIn(SYMBOLS_PLUGIN_STRIPPED);
  const std::string id = Hex(captured.module.build_id);
  const files::path place = files::path(folder.path()) / ".build-id" / id.substr(0, 2);
  files::create_directories(place);
  files::copy_file(SYMBOLS_PLUGIN_DEBUG, place / (id.substr(2) + ".debug"));
  SymbolFinder finder(folder.path());
  CheckWhole(Resolve(captured, finder));
}

TEST_CASE("a file that is not the one that was loaded says nothing", "[native]") {
  const Folder folder;
  const std::string path = folder.path() + "/plugin.so";
  files::copy_file(SYMBOLS_PLUGIN, path);
  const Captured captured = CaptureIn(path);
  SymbolFinder before;
  CheckWhole(Resolve(captured, before));
  files::copy_file(NATIVE_STACK_PLUGIN, path, files::copy_options::overwrite_existing);
  SymbolFinder replaced;
  for (const auto& symbol : Resolve(captured, replaced))
    CHECK_FALSE(symbol);
  files::remove(path);
  SymbolFinder removed;
  for (const auto& symbol : Resolve(captured, removed))
    CHECK_FALSE(symbol);
}

TEST_CASE("no server is asked for debug information", "[native]") {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  REQUIRE(bind(server, reinterpret_cast<sockaddr*>(&address), bytes) == 0);
  REQUIRE(listen(server, 4) == 0);
  REQUIRE(getsockname(server, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  setenv("DEBUGINFOD_URLS", url.c_str(), 1);
  SymbolFinder finder;
  CheckStripped(Resolve(CaptureIn(SYMBOLS_PLUGIN_STRIPPED), finder));
  unsetenv("DEBUGINFOD_URLS");
  CHECK(accept(server, nullptr, nullptr) == -1);
  close(server);
}

}  // namespace rollcall::tests
