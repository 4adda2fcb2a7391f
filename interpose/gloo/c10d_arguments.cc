// Argument order of the virtuals (words[0] is `this`):
//   broadcast, allreduce, reduce...        (tensors, options)
//   allgather, gather                      (output lists, inputs, options)
//   reduce_scatter, scatter                (outputs, input lists, options)
//   _allgather_base, _reduce_scatter_base  (output, input, options), one tensor each
//   *_coalesced with tensors, alltoall     (outputs, inputs, options)
//   alltoall_base                          (output, input, output splits, input splits, options)
//   barrier (options); send, recv (tensors, peer, tag); recvAnysource (tensors, tag)
#include "interpose/gloo/c10d_arguments.h"

#include <string.h>

#include <algorithm>

#include "interpose/gloo/tensor_facts.h"
#include "proto/fingerprint.h"
#include "proto/trace_fields.h"

namespace rollcall::interpose {
namespace {

constexpr std::int64_t kLongestTimeout = std::int64_t{1000} * 3600 * 24 * 366 * 10;

template <class T>
T Load(std::uintptr_t object, std::size_t at) noexcept {
  T value;
  memcpy(&value, reinterpret_cast<const char*>(object) + at, sizeof value);
  return value;
}

// std::vector: begin, end, end of storage.
struct Vector {
  std::uintptr_t begin = 0;
  std::uint64_t size = 0;

  Vector(std::uintptr_t vector, std::size_t element) noexcept {
    begin = Load<std::uintptr_t>(vector, 0);
    size = (Load<std::uintptr_t>(vector, 8) - begin) / element;
  }
};
constexpr std::size_t kTensorBytes = 8;
constexpr std::size_t kVectorBytes = 24;

bool Is(const RollcallCall& call, const char* name) noexcept {
  return strcmp(call.hook->library_name, name) == 0;
}

// The first tensor gives type and dimensions, all together the count.
void AddTensor(std::uintptr_t tensor, CallArguments* arguments) noexcept {
  TensorFacts facts;
  if (!ReadTensor(reinterpret_cast<const void*>(tensor), &facts)) return;
  arguments->count += facts.elements;
  if (arguments->tensors++ != 0) return;
  arguments->datatype = DatatypeOf(facts.scalar_type);
  arguments->element_bytes = BytesOf(facts.scalar_type);
  arguments->dimension_count = std::min(facts.dimension_count, kMaxDimensions);
  memcpy(arguments->dimensions, facts.dimensions, sizeof facts.dimensions);
}

void AddTensors(std::uintptr_t vector, CallArguments* arguments) noexcept {
  const Vector tensors(vector, kTensorBytes);
  for (std::uint64_t i = 0; i < tensors.size; ++i)
    AddTensor(tensors.begin + i * kTensorBytes, arguments);
}

// Tensors of the first list of a list.
void AddLists(std::uintptr_t vector, CallArguments* arguments) noexcept {
  const Vector lists(vector, kVectorBytes);
  if (lists.size != 0) AddTensors(lists.begin, arguments);
}

std::uint64_t FirstDimension(std::uintptr_t tensor, std::uint64_t* elements) noexcept {
  TensorFacts facts;
  if (!ReadTensor(reinterpret_cast<const void*>(tensor), &facts)) return 0;
  *elements = facts.elements;
  return facts.dimension_count == 0 ? 0 : static_cast<std::uint64_t>(facts.dimensions[0]);
}

class SplitReader {
 public:
  explicit SplitReader(CallArguments* arguments) noexcept : arguments_(*arguments) {}

  void Add(bool input, std::uint64_t elements) noexcept {
    std::uint32_t& count = input ? arguments_.input_split_count : arguments_.output_split_count;
    std::uint64_t* const splits = input ? arguments_.input_splits : arguments_.output_splits;
    if (count < kMaxSplits) splits[count] = elements;
    ++count;
    digest_ = RollcallFingerprintMix(digest_, elements);
  }
  // Rows of the first dimension become elements.
  void AddRows(bool input, std::uintptr_t vector, std::uintptr_t tensor) noexcept {
    const Vector rows(vector, sizeof(std::int64_t));
    std::uint64_t elements = 0;
    const std::uint64_t first = FirstDimension(tensor, &elements);
    const std::uint64_t each = first == 0 ? 0 : elements / first;
    for (std::uint64_t i = 0; i < rows.size; ++i)
      Add(input, Load<std::uint64_t>(rows.begin, i * sizeof(std::int64_t)) * each);
  }
  void AddTensorSizes(bool input, std::uintptr_t vector) noexcept {
    const Vector tensors(vector, kTensorBytes);
    for (std::uint64_t i = 0; i < tensors.size; ++i) {
      TensorFacts facts;
      ReadTensor(reinterpret_cast<const void*>(tensors.begin + i * kTensorBytes), &facts);
      Add(input, facts.elements);
    }
  }
  void Finish() noexcept {
    if (arguments_.input_split_count + arguments_.output_split_count != 0)
      arguments_.splits_digest = RollcallFingerprintMix(digest_, arguments_.input_split_count) | 1;
  }

 private:
  CallArguments& arguments_;
  std::uint64_t digest_ = 2;
};

void SetTimeout(std::int64_t timeout, CallArguments* arguments) noexcept {
  if (timeout > 0 && timeout < kLongestTimeout) arguments->timeout_ms = timeout;
}

// Options that begin with a ReduceOp; what follows it is `behind` bytes behind its supplement.
std::uintptr_t ReadReduceOptions(std::uintptr_t options, CallArguments* arguments) noexcept {
  if (!ReadReduceOperation(reinterpret_cast<const void*>(options), &arguments->redop)) return 0;
  return options + HeaderBytes() + 16;
}

void ReadRoot(std::uintptr_t at, CallArguments* arguments) noexcept {
  arguments->root = static_cast<std::int32_t>(Load<std::int64_t>(at, 0));
}

void ReadAllgather(const RollcallCall& call, CallArguments* arguments) noexcept {
  if (Is(call, "_allgather_base") || Is(call, "all_gather_single"))
    AddTensor(call.words[2], arguments);
  else
    AddTensors(call.words[2], arguments);
  SetTimeout(Load<std::int64_t>(call.words[3], 0), arguments);
}

// One allreduce, so one tag, for each tensor of the list (or of the list's only entry).
std::uint32_t ReadReduceScatter(const RollcallCall& call, CallArguments* arguments) noexcept {
  if (Is(call, "_reduce_scatter_base") || Is(call, "reduce_scatter_single"))
    AddTensor(call.words[2], arguments);
  else if (Is(call, "reduce_scatter"))
    AddLists(call.words[2], arguments);
  else
    AddTensors(call.words[2], arguments);
  if (const std::uintptr_t behind = ReadReduceOptions(call.words[3], arguments))
    SetTimeout(Load<std::int64_t>(behind, 0), arguments);
  return std::max(arguments->tensors, 1u);
}

void ReadAlltoall(const RollcallCall& call, CallArguments* arguments) noexcept {
  SplitReader splits(arguments);
  if (Is(call, "alltoall")) {
    AddTensors(call.words[2], arguments);
    splits.AddTensorSizes(true, call.words[2]);
    splits.AddTensorSizes(false, call.words[1]);
    SetTimeout(Load<std::int64_t>(call.words[3], 0), arguments);
  } else {
    AddTensor(call.words[2], arguments);
    splits.AddRows(true, call.words[4], call.words[2]);
    splits.AddRows(false, call.words[3], call.words[1]);
    SetTimeout(Load<std::int64_t>(call.words[5], 0), arguments);
  }
  splits.Finish();
}

}  // namespace

std::int64_t GroupTimeout(const void* options) noexcept {
  if (options == nullptr || HeaderBytes() == 0) return 0;
  const auto timeout = Load<std::int64_t>(reinterpret_cast<std::uintptr_t>(options), HeaderBytes());
  return timeout > 0 && timeout < kLongestTimeout ? timeout : 0;
}

std::uint32_t ReadC10dCall(const RollcallCall& call, CallArguments* arguments) noexcept {
  const std::uintptr_t* const words = call.words;
  std::uint32_t tags = 1;
  arguments->operation = call.hook->detail;
  arguments->library_name = call.hook->library_name;
  switch (call.hook->detail) {
    case ROLLCALL_OPERATION_ALLREDUCE:
      AddTensors(words[1], arguments);
      if (const std::uintptr_t behind = ReadReduceOptions(words[2], arguments))
        SetTimeout(Load<std::int64_t>(behind, 0), arguments);
      break;
    case ROLLCALL_OPERATION_REDUCE:
      AddTensors(words[1], arguments);
      if (const std::uintptr_t behind = ReadReduceOptions(words[2], arguments)) {
        ReadRoot(behind, arguments);
        SetTimeout(Load<std::int64_t>(behind, 16), arguments);
      }
      break;
    case ROLLCALL_OPERATION_BROADCAST:
      AddTensors(words[1], arguments);
      ReadRoot(words[2], arguments);
      SetTimeout(Load<std::int64_t>(words[2], 16), arguments);
      break;
    case ROLLCALL_OPERATION_ALLGATHER:
      ReadAllgather(call, arguments);
      break;
    case ROLLCALL_OPERATION_GATHER:
      AddTensors(words[2], arguments);
      ReadRoot(words[3], arguments);
      SetTimeout(Load<std::int64_t>(words[3], 8), arguments);
      break;
    case ROLLCALL_OPERATION_SCATTER:
      AddTensors(words[1], arguments);  // inputs exist on the root only
      ReadRoot(words[3], arguments);
      SetTimeout(Load<std::int64_t>(words[3], 8), arguments);
      break;
    case ROLLCALL_OPERATION_REDUCESCATTER:
      tags = ReadReduceScatter(call, arguments);
      break;
    case ROLLCALL_OPERATION_ALLTOALL:
      ReadAlltoall(call, arguments);
      break;
    case ROLLCALL_OPERATION_BARRIER:
      SetTimeout(Load<std::int64_t>(words[1], kVectorBytes), arguments);
      break;
    case ROLLCALL_OPERATION_MONITORED_BARRIER:
      SetTimeout(Load<std::int64_t>(words[1], kVectorBytes), arguments);
      tags = 2;
      break;
    case ROLLCALL_OPERATION_SEND:
      AddTensors(words[1], arguments);
      arguments->peer = static_cast<std::int32_t>(words[2]);
      arguments->tag = static_cast<std::int32_t>(words[3]);
      break;
    case ROLLCALL_OPERATION_RECV:
      AddTensors(words[1], arguments);
      arguments->peer = Is(call, "recv") ? static_cast<std::int32_t>(words[2]) : -1;
      arguments->tag = static_cast<std::int32_t>(Is(call, "recv") ? words[3] : words[2]);
      break;
    default:
      break;
  }
  return tags;
}

}  // namespace rollcall::interpose
