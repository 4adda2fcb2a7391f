#include "interpose/python/interpreter.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMaxCandidates = 8;
constexpr std::size_t kMaxPath = 512;

struct Candidates {
  std::size_t count = 0;
  char path[kMaxCandidates][kMaxPath];
};

int CollectCandidate(dl_phdr_info* info, std::size_t, void* data) {
  auto* const candidates = static_cast<Candidates*>(data);
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : info->dlpi_name;
  const std::size_t bytes = std::strlen(info->dlpi_name) + 1;
  if (std::strstr(name, "python") != nullptr && bytes <= kMaxPath) {
    std::memcpy(candidates->path[candidates->count++], info->dlpi_name, bytes);
  }
  return candidates->count == kMaxCandidates ? 1 : 0;
}

// Where Python's symbols are: RTLD_DEFAULT, or a library that is loaded already; null = nowhere.
bool FindLibrary(void** library) noexcept {
  constexpr char kSymbol[] = "PyGILState_GetThisThreadState";
  *library = RTLD_DEFAULT;
  if (dlsym(RTLD_DEFAULT, kSymbol) != nullptr) return true;
  Candidates candidates;
  dl_iterate_phdr(CollectCandidate, &candidates);
  for (std::size_t i = 0; i < candidates.count; ++i) {
    // Kept open: what is found in it must stay.
    *library = dlopen(candidates.path[i], RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
    if (*library == nullptr) continue;
    if (dlsym(*library, kSymbol) != nullptr) return true;
    dlclose(*library);
  }
  return false;
}

template <class Pointer>
void Find(void* library, const char* symbol, Pointer* pointer) noexcept {
  void* const found = dlsym(library, symbol);
  static_assert(sizeof found == sizeof *pointer);
  std::memcpy(pointer, &found, sizeof found);
}

struct Version {
  int major = 0;
  int minor = 0;
  int micro = 0;
};

int ReadNumber(const char** text) noexcept {
  int number = 0;
  for (; **text >= '0' && **text <= '9' && number < 1000; ++*text)
    number = 10 * number + (**text - '0');
  if (**text == '.') ++*text;
  return number;
}

bool FindVersion(void* library, Version* version) noexcept {
  const unsigned long* hex = nullptr;
  Find(library, "Py_Version", &hex);  // 3.11 and later
  if (hex != nullptr) {
    *version = Version{static_cast<int>(*hex >> 24 & 0xff), static_cast<int>(*hex >> 16 & 0xff),
                       static_cast<int>(*hex >> 8 & 0xff)};
    return true;
  }
  const char* (*get_version)() = nullptr;
  Find(library, "Py_GetVersion", &get_version);
  if (get_version == nullptr) return false;
  const char* text = get_version();
  version->major = ReadNumber(&text);
  version->minor = ReadNumber(&text);
  version->micro = ReadNumber(&text);
  return true;
}

}  // namespace

FindResult FindInterpreter(Interpreter* interpreter, const char** why) noexcept {
  void* library = nullptr;
  Version version;
  *why = "";
  if (!FindLibrary(&library) || !FindVersion(library, &version)) return FindResult::kAbsent;
  std::snprintf(interpreter->version, sizeof interpreter->version, "%d.%d.%d", version.major,
                version.minor, version.micro);
  Find(library, "PyGILState_GetThisThreadState", &interpreter->this_thread_state);
  Find(library, "Py_IsFinalizing", &interpreter->is_finalizing);  // 3.13 and later
  if (interpreter->is_finalizing == nullptr) {
    Find(library, "_Py_IsFinalizing", &interpreter->is_finalizing);
  }
  Find(library, "PyInterpreterState_Main", &interpreter->main_interpreter);
  Find(library, "PyCode_Type", &interpreter->code_type);
  Find(library, "PyUnicode_Type", &interpreter->text_type);
  Find(library, "PyBytes_Type", &interpreter->bytes_type);
  const void* runtime = nullptr;
  Find(library, "_PyRuntime", &runtime);
  if (version.major != 3 || !FindPythonLayout(version.minor, runtime, &interpreter->layout)) {
    *why = interpreter->layout.free_threaded ? "free-threaded" : "unsupported";
    return FindResult::kUnsupported;
  }
  if (interpreter->code_type == 0 || interpreter->text_type == 0 || interpreter->bytes_type == 0) {
    *why = "no type objects in";
    return FindResult::kUnsupported;
  }
  return FindResult::kFound;
}

}  // namespace rollcall::interpose
