// The recorder with an entry of its own, so that a test can let any program record: loaded with
// LD_PRELOAD, called through ctypes or dlsym. Calls are recorded as the hooks of a communication
// library would do it.
#include <dlfcn.h>

#include <cerrno>
#include <cstdint>

#include "interpose/core/recorder.h"
#include "interpose/python/capture.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

Row pending{};
std::uint32_t communicator = 0;

CallArguments Barrier() {
  CallArguments call{};
  call.operation = ROLLCALL_OPERATION_BARRIER;
  call.communicator = communicator;
  call.python_stack = CapturePythonStack();
  return call;
}

}  // namespace
}  // namespace rollcall::interpose

extern "C" {

// Enters a barrier. Returns whether it is recorded.
[[gnu::visibility("default")]] int rollcall_test_enter() {
  using namespace rollcall::interpose;
  if (!EnsureRecording()) return 0;
  CommunicatorArguments world{};
  world.size = 1;
  world.digest = 1;
  world.library = ROLLCALL_LIBRARY_GLOO;
  world.store_path = "test";
  if (!IsRecording()) return 0;
  if (communicator == 0) communicator = DefineCommunicator(world);
  pending = EnterCall(Barrier(), kNoPosition, 1);
  StartCall(pending);
  return pending.sequence != 0 ? 1 : 0;
}

[[gnu::visibility("default")]] void rollcall_test_complete() {
  rollcall::interpose::CompleteCall(rollcall::interpose::pending);
}

// A whole barrier. Returns 0 and keeps errno, or says what was wrong.
[[gnu::visibility("default")]] int rollcall_test_barrier() {
  errno = 77;
  if (rollcall_test_enter() == 0) return 1;
  rollcall_test_complete();
  return errno == 77 ? 0 : 2;
}

// A barrier that raises a Python exception: called through ctypes.PyDLL, with the arguments of
// PyErr_SetString.
[[gnu::visibility("default")]] void rollcall_test_fail(void* type, const char* text) {
  rollcall_test_barrier();
  void (*raise)(void*, const char*) = nullptr;
  *reinterpret_cast<void**>(&raise) = dlsym(RTLD_DEFAULT, "PyErr_SetString");
  if (raise != nullptr) raise(type, text);
}

}  // extern "C"
