#include "interpose/gloo/gloo_arguments.h"

#include <string.h>

#include <algorithm>

#include "interpose/gloo/reduce_function.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

template <class T>
T Load(std::uintptr_t object, std::size_t at) noexcept {
  T value;
  memcpy(&value, reinterpret_cast<const char*>(object) + at, sizeof value);
  return value;
}

constexpr std::int16_t kNone = -1;

// Offsets in the Options of one function. Buffers are UnboundBuffer*, or a vector of them where
// buffers_are_lists says so.
struct Layout {
  const char* library_name;
  std::int16_t input, output, input_list, output_list, elements, element_bytes, root, reduce,
      timeout;
};
constexpr Layout kLayouts[] = {
    // input output lists: in, out; elements, element, root, reduce, timeout
    {"gloo::allreduce", kNone, kNone, 32, 56, 80, 88, kNone, 96, 16},
    {"gloo::allgather", 16, 24, kNone, kNone, kNone, 32, kNone, kNone, 48},
    {"gloo::allgatherv", 16, 24, kNone, kNone, kNone, 56, kNone, kNone, 72},
    {"gloo::alltoall", 16, 24, kNone, kNone, kNone, 32, kNone, kNone, 48},
    {"gloo::alltoallv", 16, 24, kNone, kNone, kNone, 128, kNone, kNone, 144},
    {"gloo::barrier", kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 32},
    {"gloo::broadcast", 16, 24, kNone, kNone, 32, 40, 48, kNone, 56},
    {"gloo::gather", 16, 24, kNone, kNone, kNone, 32, 40, kNone, 48},
    {"gloo::gatherv", 16, 24, kNone, kNone, kNone, 56, 64, kNone, 72},
    {"gloo::reduce", 16, 24, kNone, kNone, 32, 40, 48, 56, 104},
    {"gloo::scatter", kNone, 40, 16, kNone, kNone, 48, 56, kNone, 64},
};

const Layout* FindLayout(const char* library_name) noexcept {
  for (const Layout& layout : kLayouts)
    if (strcmp(layout.library_name, library_name) == 0) return &layout;
  return nullptr;
}

// Vectors of the *v functions: lengths in bytes of alltoallv, elements of the others.
struct Lengths {
  std::uintptr_t begin;
  std::uint64_t size;
  Lengths(std::uintptr_t options, std::size_t at) noexcept
      : begin(Load<std::uintptr_t>(options, at)),
        size((Load<std::uintptr_t>(options, at + 8) - begin) / 8) {}
  std::uint64_t At(std::uint64_t index) const noexcept {
    return Load<std::uint64_t>(begin, index * 8);
  }
};

std::uint32_t AddSplits(const Lengths& lengths, std::uint64_t divisor, std::uint64_t* splits,
                        std::uint64_t* digest) noexcept {
  for (std::uint64_t i = 0; i < lengths.size; ++i) {
    const std::uint64_t elements = lengths.At(i) / std::max<std::uint64_t>(divisor, 1);
    if (i < kMaxSplits) splits[i] = elements;
    *digest = RollcallFingerprintMix(*digest, elements);
  }
  return static_cast<std::uint32_t>(lengths.size);
}

void ReadSplits(std::uintptr_t options, CallArguments* arguments) noexcept {
  std::uint64_t digest = 2;
  const char* const name = arguments->library_name;
  if (strcmp(name, "gloo::alltoallv") == 0) {
    arguments->input_split_count =
        AddSplits(Lengths(options, 56), arguments->element_bytes, arguments->input_splits, &digest);
    arguments->output_split_count = AddSplits(Lengths(options, 104), arguments->element_bytes,
                                              arguments->output_splits, &digest);
  } else if (strcmp(name, "gloo::allgatherv") == 0 || strcmp(name, "gloo::gatherv") == 0) {
    arguments->output_split_count =
        AddSplits(Lengths(options, 32), 1, arguments->output_splits, &digest);
  } else {
    return;
  }
  arguments->splits_digest = digest | 1;
}

std::uint64_t CountOf(std::uintptr_t options, const Layout& layout, std::uint32_t size,
                      const CallArguments& arguments) noexcept {
  if (layout.elements != kNone) return Load<std::uint64_t>(options, layout.elements);
  if (arguments.element_bytes == 0) return 0;
  std::uintptr_t buffer = 0;
  std::uint64_t parts = 1;
  if (layout.input != kNone) buffer = Load<std::uintptr_t>(options, layout.input);
  if (buffer == 0 && layout.output != kNone) {
    buffer = Load<std::uintptr_t>(options, layout.output);
    if (arguments.operation == ROLLCALL_OPERATION_ALLGATHER)
      parts = std::max(size, 1u);  // in place
  }
  return buffer == 0 ? 0 : BufferBytes(buffer) / arguments.element_bytes / parts;
}

}  // namespace

std::uintptr_t ContextOf(const RollcallCall& call) noexcept {
  return Load<std::uintptr_t>(call.words[0], 0);
}

std::uint64_t BufferBytes(std::uintptr_t buffer) noexcept {
  return Load<std::uint64_t>(buffer, 16);
}

void ReadGlooCall(const RollcallCall& call, std::uint32_t size, CallArguments* arguments) noexcept {
  const std::uintptr_t options = call.words[0];
  arguments->operation = call.hook->detail;
  arguments->library_name = call.hook->library_name;
  const Layout* const layout = FindLayout(call.hook->library_name);
  if (layout == nullptr) return;
  const auto timeout = Load<std::int64_t>(options, layout->timeout);
  if (timeout > 0) arguments->timeout_ms = timeout;
  if (layout->element_bytes != kNone)
    arguments->element_bytes =
        static_cast<std::uint32_t>(Load<std::uint64_t>(options, layout->element_bytes));
  if (layout->root != kNone) arguments->root = Load<std::int32_t>(options, layout->root);
  arguments->count = CountOf(options, *layout, size, *arguments);
  if (layout->reduce != kNone) ReadReduceFunction(options + layout->reduce, arguments);
  ReadSplits(options, arguments);
}

}  // namespace rollcall::interpose
