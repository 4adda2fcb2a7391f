#include "analyzer/align/frameworks.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rollcall::analyzer {
namespace {

const std::vector<Framework>& Frameworks() {
  static const std::vector<Framework> table = {
      {"torch",
       {"distributed", "nn", "autograd", "utils", "optim", "cuda", "multiprocessing", "jit",
        "_tensor.py", "_dynamo", "_inductor", "_ops.py", "_functorch", "_compile.py", "amp", "fx",
        "_utils.py"}},
      {"torchgen", {""}},
      {"functorch", {""}},
      {"torch_xla", {""}},
      {"torch_npu", {""}},
      {"intel_extension_for_pytorch", {""}},
      {"oneccl_bindings_for_pytorch", {""}},
      {"lightning", {"pytorch", "fabric"}},
      {"pytorch_lightning", {""}},
      {"lightning_fabric", {""}},
      {"accelerate", {"accelerator.py", "state.py", "utils", "launchers.py", "data_loader.py"}},
      {"deepspeed", {"runtime", "comm", "utils", "__init__.py", "inference", "ops"}},
      {"transformers",
       {"trainer.py", "trainer_utils.py", "trainer_callback.py", "modeling_utils.py"}},
      {"trl", {"trainer"}},
      {"megatron", {"core", "training", "legacy"}},
      {"transformer_engine", {""}},
      {"horovod", {"torch", "tensorflow", "common", "runner", "keras"}},
      {"ray", {"train", "_private", "util", "serve", "tune"}},
      {"torchrec", {"distributed"}},
      {"fairscale", {"nn", "optim"}},
      {"fairseq", {"trainer.py", "distributed", "legacy_distributed_data_parallel.py"}},
      {"colossalai", {""}},
      {"composer", {"trainer", "utils", "core"}},
      {"bagua", {"torch_api"}},
      {"apex", {"parallel", "transformer", "contrib"}},
      {"torchmetrics", {""}},
      {"ignite", {"distributed", "engine"}},
      {"mmengine", {"runner", "dist", "model"}},
      {"mmcv", {"runner", "parallel"}},
      {"detectron2", {"engine", "utils"}},
      {"fvcore", {"nn", "common"}},
      {"vllm", {"distributed", "worker", "executor", "v1"}},
      {"sglang", {"srt"}},
      {"jax", {"_src", "experimental"}},
      {"gloo", {"allreduce.cc", "barrier.cc", "transport", "broadcast.cc", "allgather.cc"}},
      {"ipykernel", {""}, true},
      {"ipykernel_launcher", {""}, true},
      {"IPython", {"core", "terminal"}, true},
      {"traitlets", {"config"}, true},
      {"tornado", {"ioloop.py", "gen.py", "platform"}, true},
      {"nbclient", {""}, true},
      {"papermill", {""}, true},
      {"debugpy", {""}, true},
      {"pydevd", {""}, true},
      {"_pydevd_bundle", {""}, true},
      {"_pytest", {""}, true},
      {"pluggy", {""}, true},
      {"click", {"core.py", "decorators.py"}, true},
      {"typer", {"main.py", "core.py"}, true},
      {"hydra", {"main.py", "_internal", "core"}, true},
      {"fire", {"core.py"}, true},
      {"typing_extensions", {}, true},
      {"wrapt", {"decorators.py", "wrappers.py"}, true},
      {"decorator", {}, true},
      {"beartype", {""}, true},
      {"jaxtyping", {""}, true},
      {"typeguard", {""}, true},
  };
  return table;
}

using FrameworksByModule = absl::flat_hash_map<absl::string_view, const Framework*>;

const FrameworksByModule& ByModule() {
  static const FrameworksByModule by_module = [] {
    FrameworksByModule made;
    for (const Framework& framework : Frameworks())
      made.emplace(framework.module, &framework);
    return made;
  }();
  return by_module;
}

}  // namespace

bool IsPackageFolder(const std::string& part) {
  return part == "site-packages" || part == "dist-packages";
}

const Framework* FrameworkOf(const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const auto found =
        ByModule().find(last ? absl::StripSuffix(parts[i], ".py") : absl::string_view(parts[i]));
    if (found == ByModule().end()) continue;
    const Framework& framework = *found->second;
    if (i > 0 && IsPackageFolder(parts[i - 1])) return &framework;
    if (last) continue;
    for (const char* part : framework.parts) {
      if (*part == '\0' || parts[i + 1] == part) return &framework;
    }
  }
  return nullptr;
}

std::string PathInFramework(const std::string& file) {
  const std::vector<std::string> parts = absl::StrSplit(file, '/', absl::SkipEmpty());
  const Framework* const framework = FrameworkOf(parts);
  if (framework == nullptr) return "";
  const auto first = std::find_if(parts.begin(), parts.end(), [&](const std::string& part) {
    return absl::StripSuffix(part, ".py") == framework->module;
  });
  return absl::StrJoin(first, parts.end(), "/");
}

}  // namespace rollcall::analyzer
