// Functions and source lines of native code, offline, from the files that were loaded. Needs libdw;
// without it, and where a file is not the one that was loaded (by build id: another machine,
// another version), nothing is found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rollcall::analyzer {

struct Symbol {
  std::string function;  // demangled
  std::string file;      // "" = no debug information
  int line = 0;
};

// Keeps files that it opened. Not thread-safe.
class SymbolFinder {
 public:
  // debug_folder: where debug files lie by build-id, in .build-id; "" = where the system has them,
  // /usr/lib/debug. No server is asked.
  explicit SymbolFinder(const std::string& debug_folder = "");
  ~SymbolFinder();
  SymbolFinder(const SymbolFinder&) = delete;
  SymbolFinder& operator=(const SymbolFinder&) = delete;

  // address: as linked, that is without the load bias; within the call, not behind it.
  std::optional<Symbol> Find(const std::string& path, const std::string& build_id,
                             std::uint64_t address);

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace rollcall::analyzer
