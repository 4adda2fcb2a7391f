#include "interpose/gloo/reduce_function.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>

#include "interpose/gloo/reduce_probe.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

// libstdc++'s std::function: 16 bytes of target (a plain function's address at 0), manager,
// invoker.
struct Function {
  void* target[2];
  void* manager;
  void* invoker;
};
using Manager = bool(void** destination, const Function* source, int operation);
constexpr int kGetTypeInfo = 0;
constexpr char kPlainFunction[] =
    "PFvPvPKvS1_mE";  // void (*)(void*, const void*, const void*, size_t)

// By address; never removed. An entry that is full, or is just being looked at by another thread,
// costs a look more.
template <class Value>
class KnownAddresses {
 public:
  template <class Look>
  Value Get(const void* address, Look look) noexcept {
    for (std::uint32_t i = 0; i < kEntries; ++i) {
      Entry& entry = entries_[(reinterpret_cast<std::uintptr_t>(address) / 16 + i) % kEntries];
      const void* expected = nullptr;
      if (entry.address.compare_exchange_strong(expected, address)) {
        entry.value = look();
        entry.ready.store(true, std::memory_order_release);
      } else if (expected != address) {
        continue;
      }
      if (entry.ready.load(std::memory_order_acquire)) return entry.value;
      break;
    }
    return look();
  }

 private:
  static constexpr std::uint32_t kEntries = 256;
  struct Entry {
    std::atomic<const void*> address{nullptr};  // free
    Value value{};
    std::atomic<bool> ready{false};
  };
  Entry entries_[kEntries];
};

struct Known {
  ReduceName name;
  std::uint64_t identity = 0;
};

constinit KnownAddresses<bool> managers{};
constinit KnownAddresses<Known> functions{};

// Module and offset: equal on ranks that run one build. (dladdr takes a millisecond in a large
// library: once per function.)
std::uint64_t IdentityOf(const void* target) noexcept {
  Dl_info info;
  if (dladdr(target, &info) == 0 || info.dli_fname == nullptr) return 0;
  const char* const slash = strrchr(info.dli_fname, '/');
  std::uint64_t identity = 5;
  for (const char* text = slash == nullptr ? info.dli_fname : slash + 1; *text != '\0'; ++text)
    identity = RollcallFingerprintMix(identity, static_cast<unsigned char>(*text));
  const auto offset = static_cast<const char*>(target) - static_cast<const char*>(info.dli_fbase);
  return RollcallFingerprintMix(identity, static_cast<std::uint64_t>(offset)) | 1;
}

// What the std::function holds is a plain function of Gloo's type; anything else may have state,
// which a call would change. A std::function of another C++ library has no manager in loaded code
// at that place.
bool IsPlainFunction(const Function& function) noexcept {
  Dl_info info;
  if (function.manager == nullptr || function.target[0] == nullptr ||
      dladdr(function.manager, &info) == 0 || dladdr(function.invoker, &info) == 0 ||
      dladdr(function.target[0], &info) == 0)
    return false;
  void* type = nullptr;
  reinterpret_cast<Manager*>(function.manager)(&type, &function, kGetTypeInfo);
  if (type == nullptr) return false;
  const char* const name = static_cast<const char* const*>(type)[1];
  return name != nullptr && strcmp(name, kPlainFunction) == 0;
}

Known Look(const Function& function, bool is_plain, std::uint32_t element_bytes) noexcept {
  Known known;
  if (is_plain)
    known.name =
        ProbeReduceFunction(reinterpret_cast<ReduceFunction*>(function.target[0]), element_bytes);
  known.identity = IdentityOf(is_plain ? function.target[0] : function.invoker);
  return known;
}

}  // namespace

void ReadReduceFunction(std::uintptr_t address, CallArguments* arguments) noexcept {
  Function function;
  memcpy(&function, reinterpret_cast<const void*>(address), sizeof function);
  if (function.manager == nullptr) return;
  const bool is_plain = managers.Get(function.manager, [&] { return IsPlainFunction(function); });
  // Functions with state are told apart by the code that calls them.
  const void* const key = is_plain ? function.target[0] : function.invoker;
  const Known known =
      functions.Get(key, [&] { return Look(function, is_plain, arguments->element_bytes); });
  arguments->redop = known.name.redop;
  arguments->datatype = known.name.datatype;
  if (known.name.redop != 0) return;
  arguments->redop = ROLLCALL_REDUCE_OPERATION_CUSTOM;
  arguments->redop_function = known.identity;
}

}  // namespace rollcall::interpose
