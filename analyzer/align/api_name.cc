#include "analyzer/align/api_name.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analyzer/align/frameworks.h"

namespace rollcall::analyzer {
namespace {

constexpr char kC10d[] = "torch/distributed/distributed_c10d.py";

// Names that stand between the user and what was called: decorators, the machinery of modules and
// of autograd functions.
bool IsPlumbing(const std::string& function) {
  static constexpr std::array<const char*, 13> kPlumbing = {
      "wrapper",      "_call_impl",         "_wrapped_call_impl",   "__call__", "apply",
      "inner",        "decorate_context",   "decorate_fwd",         "_fn",      "decorate_autocast",
      "decorate_bwd", "__torch_function__", "handle_torch_function"};
  return std::find(kPlumbing.begin(), kPlumbing.end(), function) != kPlumbing.end();
}

std::string LastPart(const std::string& function) {
  const std::size_t dot = function.rfind('.');
  return dot == std::string::npos ? function : function.substr(dot + 1);
}

// Frames that say what a call is for. Asked of the frames from the innermost one outwards.
struct Purpose {
  const char* path;      // of the file, or its beginning where it ends with '/'
  const char* function;  // "" = any
  const char* name;      // the operation follows where it ends with ' '
};
constexpr Purpose kPurposes[] = {
    {"torch/nn/modules/_functions.py", "forward", "SyncBatchNorm forward"},
    {"torch/nn/modules/_functions.py", "backward", "SyncBatchNorm backward"},
    {"torch/nn/modules/batchnorm.py", "forward", "SyncBatchNorm forward"},
    {"torch/distributed/fsdp/", "", "FSDP "},
    {"torch/distributed/_composable/fsdp/", "", "FSDP "},
    {"fairscale/nn/data_parallel/", "", "FSDP "},
    {"torch/distributed/algorithms/ddp_comm_hooks/", "", "DistributedDataParallel backward"},
    {"torch/distributed/algorithms/model_averaging/", "", "model averaging"},
    {"torch/distributed/algorithms/join.py", "", "Join"},
    {"torch/distributed/tensor/", "", "DTensor "},
    {"torch/distributed/_tensor/", "", "DTensor "},
    {"torch/distributed/pipelining/", "", "pipeline "},
    {"torch/distributed/nn/functional.py", "backward", "torch.distributed.nn backward"},
    {"torch/nn/parallel/distributed.py", "forward", "DistributedDataParallel forward"},
    {"deepspeed/runtime/zero/", "", "ZeRO "},
    {"deepspeed/runtime/pipe/", "", "pipeline "},
    {"megatron/core/tensor_parallel/", "", "tensor parallel "},
    {"megatron/core/pipeline_parallel/", "", "pipeline "},
    {"megatron/core/distributed/", "", "Megatron gradient "},
    {"horovod/torch/sync_batch_norm.py", "forward", "SyncBatchNorm forward"},
    {"horovod/torch/sync_batch_norm.py", "backward", "SyncBatchNorm backward"},
};

// As in a text: "all-gather".
std::string OperationWords(Operation operation) {
  switch (operation) {
    case OPERATION_ALLREDUCE:
      return "all-reduce";
    case OPERATION_ALLGATHER:
      return "all-gather";
    case OPERATION_REDUCESCATTER:
      return "reduce-scatter";
    case OPERATION_ALLTOALL:
      return "all-to-all";
    case OPERATION_BROADCAST:
      return "broadcast";
    case OPERATION_REDUCE:
      return "reduce";
    case OPERATION_SEND:
      return "send";
    case OPERATION_RECV:
      return "receive";
    case OPERATION_BARRIER:
      return "barrier";
    default:
      return "call";
  }
}

std::string PurposeOf(const std::string& path, const std::string& function, Operation operation) {
  for (const Purpose& purpose : kPurposes) {
    const std::string wanted = purpose.path;
    if (wanted.back() == '/' ? !absl::StartsWith(path, wanted) : path != wanted) continue;
    if (*purpose.function != '\0' && function != purpose.function) continue;
    const std::string name = purpose.name;
    return name.back() == ' ' ? absl::StrCat(name, OperationWords(operation)) : name;
  }
  return "";
}

// Autograd itself: what it calls without a Python frame, C++ calls.
bool IsAutograd(const std::string& path) {
  return path == "torch/autograd/__init__.py" || path == "torch/autograd/graph.py" ||
         path == "torch/_tensor.py";
}

// Where a module's functions are known by another name than that of the file.
struct PublicName {
  const char* module;
  const char* name;
};
constexpr PublicName kPublicNames[] = {
    {"torch.distributed.distributed_c10d", "torch.distributed"},
    {"torch.nn.parallel.distributed", "torch.nn.parallel.DistributedDataParallel"},
    {"torch._tensor", "torch.Tensor"},
    {"torch.autograd.__init__", "torch.autograd"},
    {"torch.autograd.graph", "torch.autograd"},
    {"torch.distributed.rendezvous", "torch.distributed"},
    {"torch.distributed.nn.functional", "torch.distributed.nn"},
    {"torch.nn.utils.clip_grad", "torch.nn.utils"},
};

std::string QualifiedName(const std::string& path, const std::string& function) {
  std::string module = absl::StrReplaceAll(path, {{"/", "."}});
  if (absl::EndsWith(module, ".py")) module.resize(module.size() - 3);
  for (const PublicName& name : kPublicNames) {
    if (module == name.module) return absl::StrCat(name.name, ".", function);
  }
  return absl::StrCat(module, ".", function);
}

}  // namespace

std::string ApiName(const Stack& stack, int user_frame, Operation operation) {
  std::string called;  // by the user: the outermost that is no plumbing
  bool innermost = true;
  for (int i = 0; i < user_frame; ++i) {
    const Frame& frame = stack.frames[static_cast<std::size_t>(i)];
    const std::string path = PathInFramework(frame.file);
    if (path.empty() || frame.function.empty()) continue;
    const std::string function = LastPart(frame.function);
    if (const std::string purpose = PurposeOf(path, function, operation); !purpose.empty())
      return purpose;
    if (innermost && IsAutograd(path) && operation == OPERATION_ALLREDUCE)
      return "DistributedDataParallel backward";
    innermost = false;
    if (!IsPlumbing(function)) called = QualifiedName(path, function);
  }
  return called;
}

std::string DistributedFunction(const Stack& stack) {
  for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
    const std::string function = LastPart(frame->function);
    if (function.empty() || function.front() == '_' || IsPlumbing(function)) continue;
    if (PathInFramework(frame->file) == kC10d) return function;
  }
  return "";
}

}  // namespace rollcall::analyzer
