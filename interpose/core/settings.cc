#include "interpose/core/settings.h"

#include <stdlib.h>
#include <string.h>

namespace rollcall::interpose {
namespace {

// One name per row of the table, so that a name that is not in it does not compile.
#define X(name, by_default, help) [[maybe_unused]] constexpr const char* k_##name = #name;
#include "interpose/core/settings.def"
#undef X

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Settings {
  const char* folder = nullptr;
  std::uint64_t bound = 0;
  std::uint64_t hang_ns = 60 * kSecond;
  bool python_stacks = true;
  bool native_stacks = true;
  bool python_hooks = true;
  bool exception_text = true;
  bool signals = true;
  bool messages = true;
};
constinit Settings settings;

const char* Read(const char* name) noexcept {
  const char* const value = getenv(name);
  return value && *value ? value : nullptr;
}

bool ReadFlag(const char* name, bool by_default) noexcept {
  const char* const value = Read(name);
  if (!value) return by_default;
  return strcmp(value, "0") != 0 && strcmp(value, "false") != 0 && strcmp(value, "off") != 0;
}

// Whether a list with commas has this word.
bool Lists(const char* list, const char* word) noexcept {
  const std::size_t bytes = strlen(word);
  for (const char* at = list; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, word, bytes) == 0 && (at[bytes] == 0 || at[bytes] == ',')) return true;
  }
  return false;
}

std::uint64_t ReadBound() noexcept {
  const char* const value = Read(k_ROLLCALL_MAX_MB);
  if (!value) return 0;
  const double megabytes = strtod(value, nullptr);
  if (!(megabytes > 0)) return 0;
  return megabytes >= 2047 ? std::uint64_t{2047} << 20
                           : static_cast<std::uint64_t>(megabytes * (1 << 20));
}

std::uint64_t ReadHang() noexcept {
  const char* const value = Read(k_ROLLCALL_HANG_SECONDS);
  char* end = nullptr;
  const double seconds = value ? strtod(value, &end) : 0;
  if (!value || end == value) return 60 * kSecond;
  if (!(seconds > 0)) return 0;
  return seconds > 1e9 ? UINT64_MAX / 2 : static_cast<std::uint64_t>(seconds * 1e9);
}

}  // namespace

void ReadSettings() noexcept {
  const char* const stacks = Read(k_ROLLCALL_STACKS);
  settings.folder = Read(k_ROLLCALL_DIR);
  settings.bound = ReadBound();
  settings.hang_ns = ReadHang();
  settings.python_stacks = !stacks || Lists(stacks, "python");
  settings.native_stacks = !stacks || Lists(stacks, "native");
  settings.python_hooks = ReadFlag(k_ROLLCALL_PYTHON_HOOKS, true);
  settings.exception_text = ReadFlag(k_ROLLCALL_EXCEPTION_TEXT, true);
  settings.signals = ReadFlag(k_ROLLCALL_SIGNALS, true);
  settings.messages = !ReadFlag(k_ROLLCALL_QUIET, false);
}

bool RecordingIsDisabled() noexcept {
  return ReadFlag(k_ROLLCALL_DISABLE, false);
}

const char* FolderSetting() noexcept {
  return settings.folder;
}
std::uint64_t BoundSetting() noexcept {
  return settings.bound;
}
std::uint64_t HangNanoseconds() noexcept {
  return settings.hang_ns;
}
bool PythonStacksAreOn() noexcept {
  return settings.python_stacks;
}
bool NativeStacksAreOn() noexcept {
  return settings.native_stacks;
}
bool PythonHooksAreOn() noexcept {
  return settings.python_hooks;
}
bool ExceptionTextIsRecorded() noexcept {
  return settings.exception_text;
}
bool SignalsAreOn() noexcept {
  return settings.signals;
}
bool MessagesAreOn() noexcept {
  return settings.messages;
}

}  // namespace rollcall::interpose
