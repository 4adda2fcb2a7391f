// What is known of Python in this process: the interpreter, and which code objects and stacks have
// been defined. All of it lies in memory that is empty again in a forked child, so the child finds
// and defines everything anew.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "interpose/python/frame_walk.h"
#include "interpose/python/interpreter.h"
#include "interpose/python/text.h"

namespace rollcall::interpose {

enum class PythonPhase : std::uint32_t {
  kUnknown = 0,  // not found, looked for again now and then
  kFound,        // not proved: no frames have been read yet
  kOn,
  kOff
};

struct IdSlot {
  std::uint64_t key;  // 0 = free
  std::uint32_t id;   // 0 = known, but without definition (no room)
};

// Open addressing, at most half full. Zero-initialised.
struct IdTable {
  static constexpr std::uint32_t kMaxIds = 65536;
  std::uint32_t used;
  IdSlot slots[2 * kMaxIds];

  // The slot of `key`, or the free one where it belongs.
  IdSlot* Find(std::uint64_t key) noexcept;
  bool IsFull() const noexcept { return used == kMaxIds; }
  void Fill(IdSlot* slot, std::uint64_t key, std::uint32_t id) noexcept;
};

// A definition is one packet of at most 16 KiB.
constexpr std::size_t kMaxLineTableBytes = 12 * 1024;

struct PythonState {
  std::atomic<PythonPhase> phase;
  std::atomic<std::uint32_t> calls_without_python;
  Interpreter python;  // valid from kFound on

  // Protects what follows, and changes of phase. Held over definitions, never over a call of the
  // guest's.
  pthread_mutex_t mutex;
  std::uint32_t stacks_lost;
  char file[kMaxTextBytes];
  char function[kMaxTextBytes / 2];
  unsigned char line_table[32 * kMaxLineTableBytes];
  unsigned char short_table[kMaxLineTableBytes];
  // By place in memory: emptied when full.
  IdTable stacks;
  IdTable codes;
  // By contents: a program that compiles the same text again and again has one code object in the
  // trace. When these are full, what is new gets no id.
  IdTable stack_contents;
  IdTable code_contents;
};

// Null: the system has no such memory; Python stacks are off.
PythonState* ThePythonState() noexcept;

// Looks for Python if that is due; true: `state->python` is valid.
bool EnsurePython(PythonState* state) noexcept;

// The first frames decide whether this build of Python is laid out as expected: the calling
// thread's are read by the kernel, with every type checked, and only then directly. Turns capture
// on or off; without frames nothing is decided. True: on.
bool ProvePython(PythonState* state, std::uintptr_t thread) noexcept;

std::uint64_t HashPythonFrames(const PythonFrames& frames) noexcept;

// PythonStack.id of these frames, defined if they are new; 0 = no room. Cuts frames where a code
// object cannot be read.
std::uint32_t DefinePythonFrames(PythonState* state, GuestMemory& memory, PythonFrames* frames,
                                 std::uint64_t hash) noexcept;

}  // namespace rollcall::interpose
