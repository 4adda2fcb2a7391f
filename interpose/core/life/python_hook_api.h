// The functions of CPython's C API that the hook on uncaught exceptions calls, found by symbol at
// run time: no Python is linked. All of them are there under these names from 3.8 to 3.15. All but
// the first three need the GIL.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace rollcall::interpose {

struct PythonObject;  // opaque: no layout is known here

// PyMethodDef; part of the stable ABI. function: (self, argument), or (self, arguments, their
// number), by the flags.
struct PythonMethod {
  const char* name;
  void* function;
  int flags;
  const char* documentation;
};
constexpr int kMethodOneArgument = 0x08;
constexpr int kMethodArgumentArray = 0x80;

struct PythonApi {
  int (*add_pending_call)(int (*)(void*), void*) = nullptr;
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  void (*increment)(PythonObject*) = nullptr;
  void (*decrement)(PythonObject*) = nullptr;
  void (*clear_error)() = nullptr;
  PythonObject* (*get_sys)(const char*) = nullptr;  // borrowed
  int (*set_sys)(const char*, PythonObject*) = nullptr;
  PythonObject* (*get_modules)() = nullptr;                                    // borrowed
  PythonObject* (*get_dictionary_item)(PythonObject*, const char*) = nullptr;  // borrowed
  PythonObject* (*get_attribute)(PythonObject*, const char*) = nullptr;        // new
  int (*set_attribute)(PythonObject*, const char*, PythonObject*) = nullptr;
  PythonObject* (*type_of)(PythonObject*) = nullptr;                           // new
  PythonObject* (*text_of)(PythonObject*) = nullptr;                           // str(x), new
  PythonObject* (*encode)(PythonObject*, const char*, const char*) = nullptr;  // str to bytes, new
  int (*get_bytes)(PythonObject*, char**, ssize_t*) = nullptr;
  PythonObject* (*make_text)(const char*) = nullptr;                       // new
  PythonObject* (*make_tuple)(ssize_t) = nullptr;                          // new
  int (*set_tuple_item)(PythonObject*, ssize_t, PythonObject*) = nullptr;  // takes the reference
  long (*to_long)(PythonObject*) = nullptr;
  PythonObject* (*make_function)(PythonMethod*, PythonObject*, PythonObject*) = nullptr;  // new
  PythonObject* (*call)(PythonObject*, PythonObject*, PythonObject*) = nullptr;           // new
  PythonObject* (*call_with)(PythonObject*, ...) = nullptr;  // arguments end with a null; new
  PythonObject* function_type = nullptr;
  PythonObject* none = nullptr;
  PythonObject** system_exit = nullptr;
};

// Null when this process has no CPython, or one that lacks a function. Looked up once it is there.
const PythonApi* FindPythonApi() noexcept;

// Owns a reference.
class PythonReference {
 public:
  PythonReference(const PythonApi& api, PythonObject* object) noexcept
      : api_(api), object_(object) {
    if (object_ == nullptr) api_.clear_error();
  }
  ~PythonReference() noexcept {
    if (object_ != nullptr) api_.decrement(object_);
  }
  PythonReference(const PythonReference&) = delete;
  PythonReference& operator=(const PythonReference&) = delete;

  PythonObject* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  const PythonApi& api_;
  PythonObject* const object_;
};

}  // namespace rollcall::interpose
