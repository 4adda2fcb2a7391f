// The constructor of c10d::TCPStore: where a job hangs whose WORLD_SIZE, RANK or MASTER_PORT is
// wrong.
#include <string.h>

#include <algorithm>

#include "interpose/gloo/calls.h"
#include "interpose/gloo/groups.h"
#include "interpose/gloo/guest_string.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

// A function that was renamed in the release in which c10::optional became std::optional.
constexpr char kOnlyWithOldOptional[] =
    "_ZN4c10d16ProcessGroupGloo9AsyncWorkC2ESt6vectorIS2_IN2at6TensorESaIS4_EESaIS6_EEPKcRKN3c108"
    "optionalIS6_EE";

struct StoreOptions {
  std::uint16_t port = 0;
  bool server = false;
  std::uint64_t workers = 0;  // 0 = waits for nobody
  std::int64_t timeout_ms = 0;
};

template <class T>
T Load(std::uintptr_t object, std::size_t at) noexcept {
  T value;
  memcpy(&value, reinterpret_cast<const char*>(object) + at, sizeof value);
  return value;
}

// TCPStoreOptions: port (u16) at 0, isServer at 2, optional<size_t> numWorkers at 8, waitWorkers at
// 24, timeout (ms) at 32. In a std::optional the value comes first, in a c10::optional (up to 2.1)
// the flag.
bool ReadOptions(std::uintptr_t options, const void* caller, StoreOptions* read) noexcept {
  const bool old = RollcallFindInModule(caller, kOnlyWithOldOptional) != nullptr;
  const auto has_workers = Load<std::uint8_t>(options, old ? 8 : 16);
  const auto workers = Load<std::uint64_t>(options, old ? 16 : 8);
  const auto server = Load<std::uint8_t>(options, 2);
  const auto waits = Load<std::uint8_t>(options, 24);
  const auto timeout = Load<std::int64_t>(options, 32);
  if (has_workers > 1 || server > 1 || waits > 1 || (has_workers == 1 && workers > UINT32_MAX))
    return false;
  read->port = Load<std::uint16_t>(options, 0);
  read->server = server != 0;
  read->workers = has_workers != 0 ? workers : 0;
  read->timeout_ms = timeout > 0 ? timeout : 0;
  return true;
}

// "host:port"
void DefineEndpoint(std::string_view host, std::uint16_t port) noexcept {
  char text[288];
  std::size_t length = std::min(host.size(), sizeof text - 7);
  memcpy(text, host.data(), length);
  text[length++] = ':';
  char digits[5];
  std::size_t count = 0;
  unsigned rest = port;
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  while (count != 0)
    text[length++] = digits[--count];
  text[length] = '\0';
  DefineSetting("rendezvous.endpoint", text);
}

}  // namespace

// (this, host, options). A launcher's store waits for nobody, or for itself alone: no rendezvous.
void EnterTcpStore(RollcallCall& call) noexcept {
  ForgetStore(call.words[0]);
  StoreOptions options;
  const bool known = ReadOptions(call.words[2], call.caller, &options);
  if (known && (options.workers == 0 || (options.workers == 1 && options.server))) return;
  if (!EnsureRecording()) return;
  if (known) {
    DefineEndpoint(ReadString(call.words[1], call.hook->detail), options.port);
    DefineSetting("rendezvous.role", options.server ? "server" : "client");
  }
  CallArguments arguments;
  arguments.operation = ROLLCALL_OPERATION_RENDEZVOUS;
  arguments.count = options.workers;
  arguments.timeout_ms = options.timeout_ms;
  arguments.library_name = call.hook->library_name;
  AddCallSite(&arguments);
  const Row row = EnterCall(arguments, kNoPosition, 0);
  StartCall(row);
  KeepRow(call, row);
}

void LeaveTcpStore(RollcallCall& call) noexcept {
  if (call.returned != 0)
    CompleteCall(KeptRow(call));
  else
    FailCall(KeptRow(call), 0, nullptr, 0);
}

}  // namespace rollcall::interpose
