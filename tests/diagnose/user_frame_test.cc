// Whose code a frame is.
#include "analyzer/align/user_frame.h"

#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::FrameOrigin;
using analyzer::KnownPath;
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

TEST_CASE("what starts programs and what compilers make is no user code", "[user_frame]") {
  CHECK(OriginOf(std::string(kSite) + "ipykernel/kernelapp.py", "") ==
        FrameOrigin::kStandardLibrary);
  CHECK(OriginOf(std::string(kSite) + "click/core.py", "") == FrameOrigin::kStandardLibrary);
  // Decorates functions of torch.distributed that are deprecated.
  CHECK(OriginOf(std::string(kSite) + "typing_extensions.py", "") == FrameOrigin::kStandardLibrary);
  CHECK(OriginOf("/tmp/torchinductor_me/ab/cab.py", "") == FrameOrigin::kStandardLibrary);
  CHECK(OriginOf("<eval_with_key>.3", "") == FrameOrigin::kStandardLibrary);
  CHECK(OriginOf("/home/me/click/train.py", "") == FrameOrigin::kUser);
}

TEST_CASE("a cell of a notebook is the user's, and has one name in all processes", "[user_frame]") {
  CHECK(OriginOf("/tmp/ipykernel_4711/271828.py", "") == FrameOrigin::kUser);
  CHECK(KnownPath("/tmp/ipykernel_4711/271828.py") == "ipykernel/271828.py");
  CHECK(KnownPath("/tmp/ipykernel_4712/271828.py") == "ipykernel/271828.py");
  CHECK(KnownPath("/home/me/train.py") == "/home/me/train.py");
}

TEST_CASE("an editable install is the user's, that of a framework is not", "[user_frame]") {
  CHECK(OriginOf("/home/me/src/my_trainer/loop.py", "") == FrameOrigin::kUser);
  CHECK(OriginOf("/home/me/src/accelerate/src/accelerate/accelerator.py", "") ==
        FrameOrigin::kFramework);
  CHECK(OriginOf("/home/me/src/DeepSpeed/deepspeed/runtime/engine.py", "") ==
        FrameOrigin::kFramework);
  CHECK(OriginOf("/home/me/accelerate/train.py", "") == FrameOrigin::kUser);
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
