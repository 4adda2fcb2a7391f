#include "interpose/gloo/calls.h"
#include "interpose/native/capture.h"
#include "interpose/python/capture.h"

namespace rollcall::interpose {

void AddCallSite(CallArguments* arguments) noexcept {
  arguments->python_stack = CapturePythonStack();
  arguments->native_stack = CaptureNativeStack();
  if (arguments->python_stack == 0) AddInitiator(arguments);
}

void ReportHooks(const char* level) noexcept {
  GlooState* const state = State();
  if (state == nullptr || state->hooks_reported.load(std::memory_order_relaxed)) return;
  if (!state->hooks_reported.exchange(true)) DefineSetting("hooks.gloo", level);
}

}  // namespace rollcall::interpose
