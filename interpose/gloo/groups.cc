#include "interpose/gloo/groups.h"

#include <string.h>

#include <algorithm>

#include "interpose/gloo/c10d_arguments.h"
#include "interpose/gloo/tensor_facts.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::size_t kMaxPathBytes = 1024;
// torchrun puts the number of its attempt in front: no part of a group's identity.
constexpr std::string_view kAttempt = "/worker/attempt_";
// Stores of the groups that ProcessGroupWrapper makes for itself (TORCH_DISTRIBUTED_DEBUG=DETAIL).
constexpr std::string_view kWrapper = "pg_wrapper";
constexpr std::string_view kDevices[] = {"cpu", "cuda", "xpu", "hpu", "mps", "meta", "npu"};
constexpr std::size_t kMaxNameBytes = 128;

std::uint64_t DigestOf(std::string_view path) noexcept {
  std::uint64_t digest = 3;
  for (const char character : path)
    digest = RollcallFingerprintMix(digest, static_cast<unsigned char>(character));
  return digest | 1;
}

// Contexts that met in no store that we saw: equal on members that make them in one order.
std::uint64_t DigestOfSize(std::uint32_t size) noexcept {
  return RollcallFingerprintMix(4, size) | 1;
}

}  // namespace

void AddPrefix(std::uintptr_t store, std::uintptr_t parent, std::string_view prefix) noexcept {
  GlooState* const state = State();
  if (state == nullptr) return;
  const std::string_view above = StorePath(parent);
  if (prefix.starts_with(kAttempt)) prefix = {};
  const std::size_t separator = prefix.empty() ? 0 : 1;
  const std::size_t bytes = std::min(above.size() + prefix.size() + separator, kMaxPathBytes);
  char* const path = static_cast<char*>(state->Allocate(bytes + 1));
  if (path == nullptr) return;
  const std::size_t kept = std::min(above.size(), bytes);
  memcpy(path, above.data(), kept);
  memcpy(path + kept, prefix.data(), std::min(prefix.size(), bytes - kept));
  if (separator != 0 && bytes != 0) path[bytes - 1] = '|';
  state->stores.Put(store, path);
}

void ForgetStore(std::uintptr_t store) noexcept {
  if (GlooState* const state = State()) state->stores.Take(store);
}

const char* StorePath(std::uintptr_t store) noexcept {
  GlooState* const state = State();
  const void* const path = state == nullptr ? nullptr : state->stores.Find(store);
  return path == nullptr ? "" : static_cast<const char*>(path);
}

std::string_view NameInPath(std::string_view path) noexcept {
  while (!path.empty()) {
    path.remove_suffix(1);  // '|'
    const std::size_t bar = path.rfind('|');
    std::string_view part = path;  // (substr may throw, so it needs libstdc++)
    if (bar != std::string_view::npos) part.remove_prefix(bar + 1);
    path.remove_suffix(part.size());
    if (part.ends_with('/')) part.remove_suffix(1);
    if (std::find(std::begin(kDevices), std::end(kDevices), part) == std::end(kDevices))
      return part;
  }
  return {};
}

Group* NewGroup(std::uintptr_t store, std::uint32_t rank, std::uint32_t size,
                const void* options) noexcept {
  GlooState* const state = State();
  auto* const group =
      state == nullptr ? nullptr : static_cast<Group*>(state->Allocate(sizeof(Group)));
  if (group == nullptr) return nullptr;
  group->rank = rank;
  group->size = size;
  group->options = options;
  group->path = StorePath(store);
  if (std::string_view(group->path).find(kWrapper) != std::string_view::npos)
    group->flags = ROLLCALL_FLAG_INTERNAL;
  return group;
}

std::uint32_t CommunicatorOf(Group* group) noexcept {
  if (group == nullptr) return 0;
  const std::uint32_t known = group->communicator.load(std::memory_order_acquire);
  if (known != 0) return known;
  const std::string_view path = group->path == nullptr ? "" : group->path;
  char name[kMaxNameBytes] = {};
  const std::string_view part = NameInPath(path);
  memcpy(name, part.data(), std::min(part.size(), sizeof name - 1));
  CommunicatorArguments arguments;
  arguments.rank = group->rank;
  arguments.size = group->size;
  arguments.library = ROLLCALL_LIBRARY_GLOO;
  arguments.digest = path.empty() ? DigestOfSize(group->size) : DigestOf(path);
  arguments.flags = group->flags;
  arguments.timeout_ms = GroupTimeout(group->options);
  arguments.store_path = path.data();
  arguments.name = name;
  // Two threads that come here together define it twice; the second is not used. Threads that share
  // a context and never connected it are rare.
  const std::uint32_t id = DefineCommunicator(arguments);
  std::uint32_t expected = 0;
  if (id != 0 && !group->communicator.compare_exchange_strong(expected, id)) return expected;
  return id;
}

}  // namespace rollcall::interpose
