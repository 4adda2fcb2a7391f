#include "interpose/core/life/python_hook_api.h"

#include <dlfcn.h>

#include <cstring>

namespace rollcall::interpose {
namespace {

constinit PythonApi found_api{};

template <typename Pointer>
bool Find(const char* symbol, Pointer* pointer) noexcept {
  void* const address = dlsym(RTLD_DEFAULT, symbol);
  static_assert(sizeof(address) == sizeof(*pointer));
  std::memcpy(pointer, &address, sizeof(address));
  return address != nullptr;
}

bool FindAll(PythonApi* api) noexcept {
  return Find("Py_AddPendingCall", &api->add_pending_call) &&
         Find("Py_IsInitialized", &api->is_initialized) &&
         (Find("Py_IsFinalizing", &api->is_finalizing) ||
          Find("_Py_IsFinalizing", &api->is_finalizing)) &&
         Find("Py_IncRef", &api->increment) && Find("Py_DecRef", &api->decrement) &&
         Find("PyErr_Clear", &api->clear_error) && Find("PySys_GetObject", &api->get_sys) &&
         Find("PySys_SetObject", &api->set_sys) &&
         Find("PyImport_GetModuleDict", &api->get_modules) &&
         Find("PyDict_GetItemString", &api->get_dictionary_item) &&
         Find("PyObject_GetAttrString", &api->get_attribute) &&
         Find("PyObject_SetAttrString", &api->set_attribute) &&
         Find("PyObject_Type", &api->type_of) && Find("PyObject_Str", &api->text_of) &&
         Find("PyUnicode_AsEncodedString", &api->encode) &&
         Find("PyBytes_AsStringAndSize", &api->get_bytes) &&
         Find("PyUnicode_FromString", &api->make_text) && Find("PyTuple_New", &api->make_tuple) &&
         Find("PyTuple_SetItem", &api->set_tuple_item) && Find("PyLong_AsLong", &api->to_long) &&
         Find("PyCFunction_NewEx", &api->make_function) && Find("PyObject_Call", &api->call) &&
         Find("PyObject_CallFunctionObjArgs", &api->call_with) &&
         Find("PyCFunction_Type", &api->function_type) &&
         Find("PyExc_SystemExit", &api->system_exit) && Find("_Py_NoneStruct", &api->none);
}

}  // namespace

const PythonApi* FindPythonApi() noexcept {
  if (found_api.none != nullptr) return &found_api;
  return FindAll(&found_api) ? &found_api : nullptr;
}

}  // namespace rollcall::interpose
