// Prints, for each trace named, how its process ended, from the state page alone:
//   end_of_trace FILE...
//   exit 3 | quick 5 | signal 15 from 4711 | exec | killed | alive | starting, then " exception
//   TEXT" if there was an uncaught one
// Judges by the layout in proto/raw_layout.h alone, not by the analyzer.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "proto/raw_layout.h"

namespace {

std::string DescribeEnd(const RollcallState& state) {
  switch (state.end_kind) {
    case kRollcallEndExit:
      return "exit " + std::to_string(state.end_status);
    case kRollcallEndQuick:
      return "quick " + std::to_string(state.end_status);
    case kRollcallEndSignal:
      return "signal " + std::to_string(state.end_signal) + " from " +
             std::to_string(state.end_signal_pid);
    case kRollcallEndExec:
      return "exec";
    default:
      return "killed";
  }
}

std::string Describe(const RollcallState& state) {
  if (state.phase == kRollcallPhaseStarting) return "starting";
  std::uint32_t owner = 0;
  std::memcpy(&owner, state.mutex, sizeof(owner));
  const bool died = (owner & ROLLCALL_OWNER_DIED) != 0;
  std::string text = died ? DescribeEnd(state) : "alive";
  if (state.exception_ns != 0) {
    text += " exception " + std::string(state.exception, state.exception_bytes);
  }
  return text;
}

bool PrintEnd(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  RollcallState state;
  const bool read = std::fseek(file, kRollcallStateAt, SEEK_SET) == 0 &&
                    std::fread(&state, sizeof(state), 1, file) == 1 &&
                    state.magic == ROLLCALL_STATE_MAGIC;
  std::fclose(file);
  std::puts(read ? Describe(state).c_str() : "no trace");
  return read;
}

}  // namespace

int main(int count, char** arguments) {
  bool all = true;
  for (int i = 1; i < count; ++i)
    all = PrintEnd(arguments[i]) && all;
  return all ? 0 : 1;
}
