#include "interpose/gloo/exception_text.h"

#include <string.h>

#include "interpose/core/real_symbol.h"

namespace rollcall::interpose {
namespace {

// Functions of a vtable, by number. type_info: two destructors, __is_pointer_p, __is_function_p,
// __do_catch, __do_upcast; std::exception: two destructors, what.
constexpr int kDoCatch = 4;
constexpr int kWhat = 2;

template <class Signature>
Signature* VirtualFunction(const void* object, int number) noexcept {
  void* const* const table = *static_cast<void* const* const*>(object);
  return reinterpret_cast<Signature*>(table[number]);
}

}  // namespace

ExceptionText::ExceptionText(std::uintptr_t exception, const void* caller) noexcept {
  void* object = *reinterpret_cast<void* const*>(exception);
  if (object == nullptr) return;
  const void* const wanted = RollcallFindInModule(caller, "_ZTISt9exception");
  void* const type_of = RollcallFindInModule(
      caller, "_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv");
  if (wanted == nullptr || type_of == nullptr) return;
  const void* const thrown =
      reinterpret_cast<const void* (*)(const void*)>(type_of)(reinterpret_cast<void*>(exception));
  if (thrown == nullptr) return;
  // As the personality routine asks: does a handler of this type take that one? It moves `object`
  // to the base class.
  using DoCatch = bool(const void*, const void*, void**, unsigned);
  if (!VirtualFunction<DoCatch>(wanted, kDoCatch)(wanted, thrown, &object, 1)) return;
  using What = const char*(const void*);
  text_ = VirtualFunction<What>(object, kWhat)(object);
  if (text_ == nullptr) return;
  // c10::Error goes on with where it was raised in torch.
  const char* const end = strstr(text_, "\nException raised from ");
  bytes_ = end == nullptr ? strlen(text_) : static_cast<std::size_t>(end - text_);
}

}  // namespace rollcall::interpose
