// Whose code a frame is, and what the user called.
#include "analyzer/align/user_frame.h"

#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::ApiName;
using analyzer::FrameOrigin;
using analyzer::OriginOf;
using analyzer::ShortPath;
using analyzer::Stack;
using analyzer::UserFrames;

const char kSite[] = "/opt/venv/lib/python3.11/site-packages/";

TEST_CASE("frames of frameworks are known by module, not by location", "[user_frame]") {
  CHECK(OriginOf(std::string(kSite) + "torch/distributed/distributed_c10d.py", "") ==
        FrameOrigin::kFramework);
  CHECK(OriginOf("/workspace/pytorch/torch/nn/parallel/distributed.py", "") ==
        FrameOrigin::kFramework);
  CHECK(OriginOf(std::string(kSite) + "lightning/pytorch/trainer/trainer.py", "") ==
        FrameOrigin::kFramework);
  CHECK(OriginOf(std::string(kSite) + "my_company/train.py", "") == FrameOrigin::kUser);
  CHECK(OriginOf("/home/ray/torch/train.py", "") == FrameOrigin::kUser);
  CHECK(OriginOf("train.py", "") == FrameOrigin::kUser);
  CHECK(OriginOf("<string>", "") == FrameOrigin::kUser);
}

TEST_CASE("Python's own library is no user code", "[user_frame]") {
  CHECK(OriginOf("/usr/lib/python3.11/threading.py", "") == FrameOrigin::kStandardLibrary);
  CHECK(OriginOf("<frozen runpy>", "") == FrameOrigin::kStandardLibrary);
  CHECK(OriginOf("/usr/lib/python3/dist-packages/mine/train.py", "") == FrameOrigin::kUser);
}

TEST_CASE("the user can claim code of a framework", "[user_frame]") {
  CHECK(OriginOf(std::string(kSite) + "megatron/core/pipeline.py", "*/megatron/core/*") ==
        FrameOrigin::kUser);
}

TEST_CASE("a barrier over an allreduce is called a barrier", "[user_frame]") {
  const Stack stack{
      {{std::string(kSite) + "torch/distributed/distributed_c10d.py", 3400, "barrier"},
       {std::string(kSite) + "torch/distributed/c10d_logger.py", 83, "wrapper"},
       {"/home/me/train.py", 57, "main"},
       {"/home/me/train.py", 90, "<module>"}},
      false};
  const std::vector<int> user = UserFrames(stack, "");
  REQUIRE(user == std::vector<int>{2, 3});
  CHECK(ApiName(stack, user.front()) == "torch.distributed.barrier");
}

TEST_CASE("calls of DDP are told by what the user called", "[user_frame]") {
  const Stack forward{
      {{std::string(kSite) + "torch/distributed/utils.py", 1, "_sync_module_states"},
       {std::string(kSite) + "torch/nn/parallel/distributed.py", 800,
        "DistributedDataParallel.__init__"},
       {"train.py", 30, "main"}},
      false};
  CHECK(ApiName(forward, 2) == "torch.nn.parallel.DistributedDataParallel.__init__");
  const Stack backward{{{std::string(kSite) + "torch/autograd/__init__.py", 200, "backward"},
                        {std::string(kSite) + "torch/_tensor.py", 500, "Tensor.backward"},
                        {"train.py", 41, "main"}},
                       false};
  CHECK(ApiName(backward, 2) == "torch.Tensor.backward");
}

TEST_CASE("a stack of a trainer alone is better than none", "[user_frame]") {
  const Stack stack{{{std::string(kSite) + "torch/distributed/distributed_c10d.py", 1, "barrier"},
                     {std::string(kSite) + "transformers/trainer.py", 9, "train"}},
                    false};
  CHECK(UserFrames(stack, "") == std::vector<int>{1});
}

TEST_CASE("paths are relative to the folder of the job when they lie below it", "[user_frame]") {
  CHECK(ShortPath("/home/me/job/train.py", "/home/me/job") == "train.py");
  CHECK(ShortPath("/home/me/job2/train.py", "/home/me/job") == "/home/me/job2/train.py");
  CHECK(ShortPath("/train.py", "/") == "/train.py");
}

}  // namespace
}  // namespace rollcall::tests
