// The functions look like those they stand for (built-in, same name, module and repr), run no
// Python code, and take over both `excepthook` and `__excepthook__`, so that `sys.excepthook is
// sys.__excepthook__` stays true: libraries ask that before they install a hook of their own.
//
// An exception is the end of the process only when the interpreter itself prints it: it has just
// stored it in sys.last_value. Others (a GUI's event loop, code.interact) call the hook too.
#include "interpose/core/life/python_hook.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "interpose/core/clock.h"
#include "interpose/core/life.h"
#include "interpose/core/life/process_end.h"
#include "interpose/core/life/python_hook_api.h"
#include "interpose/core/life/python_hook_exception.h"
#include "interpose/core/recorder.h"
#include "interpose/core/settings.h"
#include "interpose/python/capture.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constinit std::atomic<bool> installation_asked{false};
// The code object whose call it came from; 0 = unknown.
constinit std::uintptr_t asking_code = 0;
// References that are kept for the life of the process.
constinit PythonObject* own_hook = nullptr;
constinit PythonObject* own_thread_hook = nullptr;

struct Description {
  char text[kRollcallExceptionBytes];
  std::size_t bytes;
  std::uint32_t tid;
};

// The page is that of the process's end; a thread's exception does not end it and is an event
// alone.
void StoreInState(const Description& description) noexcept {
  RollcallState* const state = OwnStatePage();
  if (state == nullptr) return;
  std::memcpy(state->exception, description.text, description.bytes);
  state->exception_bytes = static_cast<std::uint32_t>(description.bytes);
  state->exception_tid = description.tid;
  PublishState(&state->exception_bytes,
               sizeof(state->exception_bytes) + sizeof(state->exception_tid) + description.bytes);
  std::atomic_ref<std::uint64_t>(state->exception_ns)
      .store(MonotonicNow(), std::memory_order_release);
  PublishState(&state->exception_ns, sizeof(state->exception_ns));
}

void NoteException(const PythonApi& api, PythonObject* type, PythonObject* value,
                   PythonObject* traceback, bool ends_process) noexcept {
  if (OwnStatePage() == nullptr) return;  // a child of the process that installed the hook
  Description description;
  description.bytes = DescribeException(api, type, value, ExceptionTextIsRecorded(),
                                        description.text, sizeof(description.text));
  description.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  EventArguments event{};
  event.kind = ROLLCALL_EVENT_EXCEPTION;
  event.data = description.text;
  event.data_bytes = description.bytes;
  event.tid = description.tid;
  event.python_stack = DefineTracebackStack(api, traceback);
  WriteEvent(event);
  if (ends_process) StoreInState(description);
}

// excepthook(type, value, traceback)
PythonObject* OnException(PythonObject*, PythonObject* const* arguments, ssize_t count) {
  const PythonApi& api = *FindPythonApi();
  if (count == 3 && arguments[1] == api.get_sys("last_value")) {
    NoteException(api, arguments[0], arguments[1], arguments[2], true);
  }
  PythonObject* const tuple = api.make_tuple(count);
  if (tuple == nullptr) return nullptr;
  for (ssize_t i = 0; i < count; ++i) {
    api.increment(arguments[i]);
    api.set_tuple_item(tuple, i, arguments[i]);
  }
  PythonObject* const result = api.call(own_hook, tuple, nullptr);
  api.decrement(tuple);
  return result;
}

// threading.excepthook(args)
PythonObject* OnThreadException(PythonObject*, PythonObject* argument) {
  const PythonApi& api = *FindPythonApi();
  {
    const PythonReference type(api, api.get_attribute(argument, "exc_type"));
    const PythonReference value(api, api.get_attribute(argument, "exc_value"));
    const PythonReference traceback(api, api.get_attribute(argument, "exc_traceback"));
    // SystemExit in a thread ends the thread and says nothing.
    if (type && traceback && type.get() != *api.system_exit) {
      NoteException(api, type.get(), value.get(), traceback.get(), false);
    }
  }
  return api.call_with(own_thread_hook, argument, nullptr);
}

bool IsBuiltIn(const PythonApi& api, PythonObject* object) noexcept {
  const PythonReference type(api, api.type_of(object));
  return type.get() == api.function_type;
}

// The PyMethodDef of a built-in function. Where the object keeps it is found in one whose is known.
PythonMethod* MethodOf(PythonObject* function, PythonObject* known_function,
                       const PythonMethod* known_method) noexcept {
  constexpr std::size_t kSearchedBytes = 64;
  for (std::size_t at = 0; at < kSearchedBytes; at += sizeof(void*)) {
    const PythonMethod* method;
    std::memcpy(&method, reinterpret_cast<const char*>(known_function) + at, sizeof(method));
    if (method != known_method) continue;
    PythonMethod* found;
    std::memcpy(&found, reinterpret_cast<const char*>(function) + at, sizeof(found));
    return found;
  }
  return nullptr;
}

// A new function that looks like `original`, a built-in one of `module`; null with no error set.
PythonObject* MakeDouble(const PythonApi& api, PythonMethod* method, PythonObject* original,
                         PythonObject* module, const char* module_name) noexcept {
  const PythonReference name(api, api.make_text(module_name));
  PythonObject* const function = name ? api.make_function(method, module, name.get()) : nullptr;
  if (function == nullptr) {
    api.clear_error();
    return nullptr;
  }
  const PythonMethod* const model = MethodOf(original, function, method);
  if (model != nullptr) method->documentation = model->documentation;
  return function;
}

void ReplaceSysHook(const PythonApi& api) noexcept {
  PythonObject* const hook = api.get_sys("excepthook");
  PythonObject* const sys = api.get_dictionary_item(api.get_modules(), "sys");
  if (hook == nullptr || sys == nullptr || hook != api.get_sys("__excepthook__")) return;
  if (!IsBuiltIn(api, hook)) return;
  static PythonMethod method = {"excepthook", reinterpret_cast<void*>(OnException),
                                kMethodArgumentArray, nullptr};
  const PythonReference ours(api, MakeDouble(api, &method, hook, sys, "sys"));
  if (!ours) return;
  api.increment(hook);
  own_hook = hook;
  api.set_sys("excepthook", ours.get());
  api.set_sys("__excepthook__", ours.get());
}

void ReplaceThreadHook(const PythonApi& api) noexcept {
  PythonObject* const threading = api.get_dictionary_item(api.get_modules(), "threading");
  PythonObject* const thread = api.get_dictionary_item(api.get_modules(), "_thread");
  if (threading == nullptr || thread == nullptr) return;
  const PythonReference hook(api, api.get_attribute(threading, "excepthook"));
  const PythonReference original(api, api.get_attribute(thread, "_excepthook"));
  if (!hook || hook.get() != original.get() || !IsBuiltIn(api, hook.get())) return;
  static PythonMethod method = {"_excepthook", reinterpret_cast<void*>(OnThreadException),
                                kMethodOneArgument, nullptr};
  const PythonReference ours(api, MakeDouble(api, &method, hook.get(), thread, "_thread"));
  if (!ours) return;
  api.increment(hook.get());
  own_thread_hook = hook.get();
  const PythonReference saved(api, api.get_attribute(threading, "__excepthook__"));
  api.set_attribute(threading, "excepthook", ours.get());
  // 3.10 and later
  if (saved.get() == hook.get()) api.set_attribute(threading, "__excepthook__", ours.get());
}

// An exception out of the very call that asked for the hooks runs no instruction on its way out:
// the interpreter prints it before it comes to us.
void NoteEarlierException(const PythonApi& api) noexcept {
  PythonObject* const value = api.get_sys("last_value");
  PythonObject* const traceback = api.get_sys("last_traceback");
  if (value == nullptr || traceback == nullptr) return;
  if (!IsRaisedIn(api, traceback, asking_code)) return;  // printed before
  const PythonReference type(api, api.type_of(value));
  NoteException(api, type.get(), value, traceback, true);
}

// With the GIL, on the main thread of the interpreter, between two instructions.
int Install(void*) {
  const PythonApi& api = *FindPythonApi();
  NoteEarlierException(api);
  ReplaceSysHook(api);
  ReplaceThreadHook(api);
  api.clear_error();
  return 0;
}

}  // namespace

void InstallPythonHook() noexcept {
  if (!PythonHooksAreOn()) return;
  const PythonApi* const api = FindPythonApi();
  if (api == nullptr || installation_asked.exchange(true)) return;
  // A libpython that a host program has loaded but not started has no interpreter to ask.
  const bool runs = api->is_initialized() != 0 && api->is_finalizing() == 0;
  asking_code = InnermostPythonCode();
  if (!runs || api->add_pending_call(Install, nullptr) != 0) installation_asked.store(false);
}

}  // namespace rollcall::interpose
