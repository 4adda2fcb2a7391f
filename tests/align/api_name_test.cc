// What the user called, from the frames between the user's own and the call.
#include "analyzer/align/api_name.h"

#include "analyzer/align/user_frame.h"
#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::ApiName;
using analyzer::DistributedFunction;
using analyzer::Frame;
using analyzer::Stack;
using analyzer::UserFrames;

// Innermost first, "file function"; files of packages are below site-packages.
Stack StackOf(const std::vector<std::pair<std::string, std::string>>& frames) {
  Stack stack;
  for (const auto& [file, function] : frames) {
    const bool own = file == "train.py";
    stack.frames.push_back(Frame{
        own ? "/home/me/train.py" : "/opt/venv/lib/python3.11/site-packages/" + file, 7, function});
  }
  return stack;
}

std::string Api(const std::vector<std::pair<std::string, std::string>>& frames,
                Operation operation = OPERATION_ALLREDUCE) {
  const Stack stack = StackOf(frames);
  const std::vector<int> user = UserFrames(stack, "");
  return user.empty() ? "no user" : ApiName(stack, user.front(), operation);
}

const char kC10d[] = "torch/distributed/distributed_c10d.py";
const char kDdp[] = "torch/nn/parallel/distributed.py";

TEST_CASE("a barrier over an allreduce is called a barrier", "[api_name]") {
  CHECK(Api({{kC10d, "barrier"},
             {"torch/distributed/c10d_logger.py", "wrapper"},
             {"train.py", "main"}}) == "torch.distributed.barrier");
  CHECK(Api({{kC10d, "_new_process_group_helper"},
             {kC10d, "init_process_group"},
             {"train.py", "main"}},
            OPERATION_INIT) == "torch.distributed.init_process_group");
}

TEST_CASE("of a function of torch.distributed that calls another one, the user's is told",
          "[api_name]") {
  CHECK(Api({{kC10d, "all_gather"}, {kC10d, "all_gather_object"}, {"train.py", "main"}}) ==
        "torch.distributed.all_gather_object");
}

TEST_CASE("buckets of gradients are those of the backward pass", "[api_name]") {
  CHECK(Api({{"torch/autograd/__init__.py", "backward"},
             {"torch/_tensor.py", "Tensor.backward"},
             {"train.py", "main"}}) == "DistributedDataParallel backward");
  CHECK(Api({{"torch/autograd/graph.py", "_engine_run_backward"},
             {"torch/autograd/__init__.py", "backward"},
             {"torch/_tensor.py", "backward"},
             {"train.py", "main"}}) == "DistributedDataParallel backward");
  CHECK(Api({{kC10d, "all_reduce"},
             {"torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py", "allreduce_hook"},
             {"torch/autograd/__init__.py", "backward"},
             {"train.py", "main"}}) == "DistributedDataParallel backward");
  // Where a thread is, and nothing of a call.
  CHECK(Api({{"torch/autograd/__init__.py", "backward"},
             {"torch/_tensor.py", "Tensor.backward"},
             {"train.py", "main"}},
            OPERATION_UNKNOWN) == "torch.Tensor.backward");
}

TEST_CASE("what the user calls in a hook is what the hook called", "[api_name]") {
  CHECK(Api({{kC10d, "all_reduce"},
             {"train.py", "Average.backward"},
             {"torch/autograd/function.py", "BackwardCFunction.apply"},
             {"torch/autograd/__init__.py", "backward"},
             {"train.py", "main"}}) == "torch.distributed.all_reduce");
}

TEST_CASE("layers and wrappers are told by their own names", "[api_name]") {
  CHECK(Api({{kDdp, "DistributedDataParallel.__init__"}, {"train.py", "main"}},
            OPERATION_BROADCAST) == "torch.nn.parallel.DistributedDataParallel.__init__");
  CHECK(Api({{kDdp, "_sync_buffers"},
             {kDdp, "_pre_forward"},
             {kDdp, "forward"},
             {"torch/nn/modules/module.py", "Module._call_impl"},
             {"train.py", "main"}},
            OPERATION_BROADCAST) == "DistributedDataParallel forward");
  CHECK(Api({{kC10d, "all_gather_into_tensor"},
             {"torch/nn/modules/_functions.py", "SyncBatchNorm.forward"},
             {"torch/autograd/function.py", "Function.apply"},
             {"torch/nn/modules/batchnorm.py", "SyncBatchNorm.forward"},
             {"torch/nn/modules/module.py", "Module._call_impl"},
             {kDdp, "DistributedDataParallel.forward"},
             {"train.py", "main"}},
            OPERATION_ALLGATHER) == "SyncBatchNorm forward");
  CHECK(Api({{kC10d, "all_reduce"},
             {"torch/nn/modules/_functions.py", "SyncBatchNorm.backward"},
             {"torch/autograd/function.py", "BackwardCFunction.apply"},
             {"torch/autograd/__init__.py", "backward"},
             {"train.py", "main"}}) == "SyncBatchNorm backward");
}

TEST_CASE("calls of FSDP say which they are", "[api_name]") {
  const char fsdp[] = "torch/distributed/fsdp/_runtime_utils.py";
  CHECK(Api({{kC10d, "all_gather_into_tensor"}, {fsdp, "_unshard"}, {"train.py", "main"}},
            OPERATION_ALLGATHER) == "FSDP all-gather");
  CHECK(Api({{kC10d, "reduce_scatter_tensor"}, {fsdp, "_post_backward_hook"}, {"train.py", "main"}},
            OPERATION_REDUCESCATTER) == "FSDP reduce-scatter");
}

TEST_CASE("a trainer's method is what the user called, and the function inside is still known",
          "[api_name]") {
  const Stack stack = StackOf({{kC10d, "barrier"},
                               {"torch/distributed/c10d_logger.py", "wrapper"},
                               {"accelerate/utils/other.py", "wait_for_everyone"},
                               {"accelerate/accelerator.py", "Accelerator.wait_for_everyone"},
                               {"train.py", "main"}});
  CHECK(ApiName(stack, 4, OPERATION_ALLREDUCE) == "accelerate.accelerator.wait_for_everyone");
  CHECK(DistributedFunction(stack) == "barrier");
  CHECK(DistributedFunction(StackOf({{"train.py", "main"}})) == "");
}

TEST_CASE("nothing is said of a call without a framework", "[api_name]") {
  CHECK(Api({{"train.py", "main"}}) == "");
}

}  // namespace
}  // namespace rollcall::tests
