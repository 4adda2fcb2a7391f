// Loaded by symbols_test, whole and stripped: calls back through a function that only debug
// information names, a member function, and a C function.
using Function = void (*)(void*);

namespace {
__attribute__((noinline)) void HiddenFunction(Function callback, void* data) {
  callback(data);
  __asm__ volatile("");
}
}  // namespace

namespace symbols {
struct __attribute__((visibility("default"))) Engine {
  __attribute__((noinline)) void Run(Function callback, void* data) {
    HiddenFunction(callback, data);
    __asm__ volatile("");
  }
};
}  // namespace symbols

extern "C" __attribute__((visibility("default"))) void CallThrough(Function callback, void* data) {
  symbols::Engine().Run(callback, data);
  __asm__ volatile("");
}
