// A recorder that keeps definitions in memory, in place of the one that writes a trace: what stack
// capture told it can be looked at.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace rollcall::tests {

struct RecordedCode {
  std::string file;
  std::string function;
  std::uint32_t first_line = 0;
  std::string line_table;
};

struct RecordedPythonStack {
  std::vector<std::uint32_t> code;
  std::vector<std::int32_t> offset;
  bool truncated = false;
};

struct RecordedNativeStack {
  std::vector<std::uint64_t> pc;
  std::uint32_t epoch = 0;
  bool truncated = false;
};

struct RecordedModule {
  std::uint32_t epoch = 0;
  std::uint64_t bias = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::string build_id;
  std::string path;
};

// Ids are positions plus 1.
struct MemoryRecorder {
  std::mutex mutex;
  bool is_recording = true;
  bool stacks_are_on = true;
  bool is_full = false;  // every definition is refused
  std::vector<RecordedCode> codes;
  std::vector<RecordedPythonStack> python_stacks;
  std::vector<RecordedNativeStack> native_stacks;
  std::vector<RecordedModule> modules;
  std::map<std::string, std::string> settings;
};

MemoryRecorder& TheMemoryRecorder();

}  // namespace rollcall::tests
