#include "interpose/python/python_state.h"

#include <cstdio>
#include <initializer_list>

#include "interpose/core/recorder.h"
#include "interpose/core/slow_section.h"
#include "interpose/native/wiped_memory.h"

namespace rollcall::interpose {
namespace {

std::atomic<PythonState*> the_state{nullptr};

// dlsym costs microseconds: at calls 1, 2, 4 ... 1024, then every 1024.
bool IsLookDue(PythonState* state) noexcept {
  const std::uint32_t call =
      state->calls_without_python.fetch_add(1, std::memory_order_relaxed) + 1;
  return call % 1024 == 0 || (call < 1024 && (call & (call - 1)) == 0);
}

void Announce(const char* what, const char* version) noexcept {
  char value[128];
  std::snprintf(value, sizeof value, "%s %s", what, version);
  DefineSetting("python.capture", value);
}

enum class Proof { kNone, kExpected, kUnexpected };

// The types of everything that a definition will read.
bool HasExpectedTypes(const Interpreter& python, GuestMemory& memory,
                      const PythonFrame& frame) noexcept {
  const PythonLayout& layout = python.layout;
  std::size_t bytes = 0;
  char text[kMaxTextBytes];
  for (const std::uint32_t member : {layout.code_file, layout.code_name}) {
    std::uintptr_t address = 0;
    if (!memory.Load(frame.code + member, &address)) return false;
    if (!ReadPythonText(python, memory, address, text, sizeof text, &bytes)) return false;
  }
  std::uintptr_t table = 0;
  std::uintptr_t type = 0;
  std::int64_t size = -1;
  std::int32_t first_line = -1;
  if (!memory.Load(frame.code + layout.code_line_table, &table)) return false;
  if (!memory.Load(table + layout.object_type, &type) || type != python.bytes_type) return false;
  if (!memory.Load(table + layout.object_size, &size) || size < 0 || size > INT32_MAX) return false;
  if (!memory.Load(frame.code + layout.code_first_line, &first_line) || first_line < 0)
    return false;
  if (layout.code_bytes == 0) return true;
  std::int64_t units = 0;
  if (!memory.Load(frame.code + layout.object_size, &units)) return false;
  return frame.offset >= -2 && frame.offset < 2 * units;
}

// By the kernel first: where that works, plain loads of the same places are safe.
Proof CheckFrames(const Interpreter& python, GuestMemory& memory, std::uintptr_t thread) noexcept {
  PythonFrames expected;
  WalkPythonFrames(python, memory, thread, &expected);
  if (expected.broken) return Proof::kUnexpected;
  if (expected.count == 0) return Proof::kNone;
  for (std::uint32_t i = 0; i < expected.count; ++i) {
    if (!HasExpectedTypes(python, memory, expected.frame[i])) return Proof::kUnexpected;
  }
  PythonFrames frames;
  DirectMemory direct;
  WalkPythonFrames(python, direct, thread, &frames);
  return HashPythonFrames(frames) == HashPythonFrames(expected) ? Proof::kExpected
                                                                : Proof::kUnexpected;
}

}  // namespace

PythonState* ThePythonState() noexcept {
  PythonState* state = the_state.load(std::memory_order_acquire);
  if (state != nullptr) return state;
  auto* const fresh = static_cast<PythonState*>(MapWipedMemory(sizeof(PythonState)));
  // Another thread may have been first: then this mapping, untouched, is left.
  if (fresh != nullptr &&
      the_state.compare_exchange_strong(state, fresh, std::memory_order_acq_rel)) {
    return fresh;
  }
  return state;
}

bool EnsurePython(PythonState* state) noexcept {
  PythonPhase phase = state->phase.load(std::memory_order_acquire);
  if (phase == PythonPhase::kOn || phase == PythonPhase::kFound) return true;
  if (phase == PythonPhase::kOff || !IsLookDue(state)) return false;
  const SlowSection section(state->mutex);
  phase = state->phase.load(std::memory_order_acquire);
  if (phase == PythonPhase::kUnknown) {
    const char* why = "";
    switch (FindInterpreter(&state->python, &why)) {
      case FindResult::kAbsent:
        break;
      case FindResult::kFound:
        phase = PythonPhase::kFound;
        DefineSetting("python.version", state->python.version);
        break;
      case FindResult::kUnsupported: {
        char what[40];
        phase = PythonPhase::kOff;
        DefineSetting("python.version", state->python.version);
        std::snprintf(what, sizeof what, "off: %s", why);
        Announce(what, state->python.version);
        break;
      }
    }
    state->phase.store(phase, std::memory_order_release);
  }
  return phase == PythonPhase::kOn || phase == PythonPhase::kFound;
}

bool ProvePython(PythonState* state, std::uintptr_t thread) noexcept {
  const SlowSection section(state->mutex);
  PythonPhase phase = state->phase.load(std::memory_order_acquire);
  if (phase == PythonPhase::kFound) {
    GuestMemory memory(false);
    const bool is_checked = memory.IsChecked();
    const Proof proof = is_checked ? CheckFrames(state->python, memory, thread) : Proof::kExpected;
    if (proof == Proof::kExpected) {
      phase = PythonPhase::kOn;
      Announce(is_checked ? "on" : "on, unchecked,", state->python.version);
    } else if (proof == Proof::kUnexpected) {
      phase = PythonPhase::kOff;
      Announce("off: unexpected layout of", state->python.version);
    }
    state->phase.store(phase, std::memory_order_release);
  }
  return phase == PythonPhase::kOn;
}

}  // namespace rollcall::interpose
