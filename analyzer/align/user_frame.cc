#include "analyzer/align/user_frame.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rollcall::analyzer {
namespace {

// Top-level modules of packages that make collective calls for their users. `parts`: what to find
// below them in a checkout or an editable install, where no site-packages tells that the name is a
// module; "" = the name alone is distinct enough.
struct Framework {
  const char* module;
  std::vector<const char*> parts;
};

const std::vector<Framework>& Frameworks() {
  static const std::vector<Framework> table = {
      {"torch",
       {"distributed", "nn", "autograd", "utils", "optim", "cuda", "multiprocessing", "jit",
        "_tensor.py", "_dynamo", "_inductor", "_ops.py", "_functorch", "_compile.py", "amp", "fx",
        "_utils.py"}},
      {"torchgen", {""}},
      {"functorch", {""}},
      {"lightning", {"pytorch", "fabric"}},
      {"pytorch_lightning", {""}},
      {"lightning_fabric", {""}},
      {"accelerate", {"accelerator.py", "state.py", "utils", "launchers.py", "data_loader.py"}},
      {"deepspeed", {"runtime", "comm", "utils", "__init__.py", "inference", "ops"}},
      {"transformers",
       {"trainer.py", "trainer_utils.py", "trainer_callback.py", "modeling_utils.py"}},
      {"megatron", {"core", "training", "legacy"}},
      {"horovod", {"torch", "tensorflow", "common", "runner", "keras"}},
      {"ray", {"train", "_private", "util", "serve", "tune"}},
      {"torchrec", {"distributed"}},
      {"fairscale", {"nn", "optim"}},
      {"colossalai", {""}},
      {"composer", {"trainer", "utils", "core"}},
      {"apex", {"parallel", "transformer", "contrib"}},
      {"torchmetrics", {""}},
      {"ignite", {"distributed", "engine"}},
      {"vllm", {"distributed", "worker", "executor", "v1"}},
      {"sglang", {"srt"}},
      {"jax", {"_src", "experimental"}},
      {"gloo", {"allreduce.cc", "barrier.cc", "transport", "broadcast.cc", "allgather.cc"}},
  };
  return table;
}

bool IsPackageFolder(const std::string& part) {
  return part == "site-packages" || part == "dist-packages";
}

// ".../lib/python3.11/threading.py", and what lies below it but for installed packages.
bool IsStandardLibrary(const std::string& file, const std::vector<std::string>& parts) {
  if (absl::StartsWith(file, "<frozen")) return true;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const bool versioned =
        absl::StartsWith(parts[i], "python3") || absl::StartsWith(parts[i], "pypy3");
    const bool library = i > 0 && absl::StartsWith(parts[i - 1], "lib");
    if (!versioned || !(library || absl::EndsWith(parts[i], ".zip"))) continue;
    return std::none_of(parts.begin() + static_cast<long>(i), parts.end(), IsPackageFolder);
  }
  return false;
}

// Native frames without a source line are known by their module: ours, those of the communication
// libraries, the system's.
bool IsLibraryModule(const std::vector<std::string>& parts) {
  static constexpr std::array<const char*, 12> kNames = {
      "librollcall", "libgloo.", "libtorch",   "libc10",    "libnccl",    "libcuda",
      "libc.so",     "libc-",    "libstdc++.", "libgcc_s.", "libpthread", "ld-linux"};
  return !parts.empty() && absl::StrContains(parts.back(), ".so") &&
         std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* name) { return absl::StartsWith(parts.back(), name); });
}

const Framework* FrameworkOf(const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Framework& framework : Frameworks()) {
      const bool last = i + 1 == parts.size();
      if (parts[i] != framework.module &&
          !(last && parts[i] == absl::StrCat(framework.module, ".py")))
        continue;
      if (i > 0 && IsPackageFolder(parts[i - 1])) return &framework;
      if (last) continue;
      for (const char* part : framework.parts) {
        if (*part == '\0' || parts[i + 1] == part) return &framework;
      }
    }
  }
  return nullptr;
}

// Names that stand between the user and what was called: decorators and the machinery of modules.
bool IsPlumbing(const std::string& function) {
  static constexpr std::array<const char*, 10> kPlumbing = {"wrapper",
                                                            "_call_impl",
                                                            "_wrapped_call_impl",
                                                            "inner",
                                                            "decorate_context",
                                                            "decorate_fwd",
                                                            "_fn",
                                                            "decorate_autocast",
                                                            "__torch_function__",
                                                            "handle_torch_function"};
  const std::string name =
      function.substr(function.rfind('.') == std::string::npos ? 0 : function.rfind('.') + 1);
  return std::find(kPlumbing.begin(), kPlumbing.end(), name) != kPlumbing.end();
}

// Where a module's functions are known by another name than that of the file.
struct PublicName {
  const char* module;
  const char* name;
};
constexpr std::array<PublicName, 6> kPublicNames = {{
    {"torch.distributed.distributed_c10d", "torch.distributed"},
    {"torch.nn.parallel.distributed", "torch.nn.parallel.DistributedDataParallel"},
    {"torch._tensor", "torch.Tensor"},
    {"torch.autograd.__init__", "torch.autograd"},
    {"torch.distributed.rendezvous", "torch.distributed"},
    {"torch.distributed.algorithms.join", "torch.distributed.algorithms.Join"},
}};

std::string QualifiedName(const Frame& frame) {
  std::vector<std::string> parts = absl::StrSplit(frame.file, '/', absl::SkipEmpty());
  const Framework* framework = FrameworkOf(parts);
  if (framework == nullptr) return "";
  const auto first = std::find_if(parts.begin(), parts.end(), [&](const std::string& part) {
    return part == framework->module;
  });
  std::string module = absl::StrJoin(first, parts.end(), ".");
  if (absl::EndsWith(module, ".py")) module.resize(module.size() - 3);
  const std::size_t dot = frame.function.rfind('.');
  const std::string function =
      dot == std::string::npos ? frame.function : frame.function.substr(dot + 1);
  for (const PublicName& name : kPublicNames) {
    if (module == name.module) return absl::StrCat(name.name, ".", function);
  }
  return absl::StrCat(module, ".", function);
}

}  // namespace

FrameOrigin OriginOf(const std::string& file, const std::string& user_code) {
  if (!user_code.empty() && fnmatch(user_code.c_str(), file.c_str(), 0) == 0)
    return FrameOrigin::kUser;
  const std::vector<std::string> parts = absl::StrSplit(file, '/', absl::SkipEmpty());
  if (IsStandardLibrary(file, parts) || IsLibraryModule(parts))
    return FrameOrigin::kStandardLibrary;
  return FrameworkOf(parts) != nullptr ? FrameOrigin::kFramework : FrameOrigin::kUser;
}

std::vector<int> UserFrames(const Stack& stack, const std::string& user_code) {
  std::vector<int> user, framework;
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const std::string& file = stack.frames[i].file;
    if (file.empty()) continue;
    switch (OriginOf(file, user_code)) {
      case FrameOrigin::kUser:
        user.push_back(static_cast<int>(i));
        break;
      case FrameOrigin::kFramework: {
        const std::vector<std::string> parts = absl::StrSplit(file, '/', absl::SkipEmpty());
        if (std::string(FrameworkOf(parts)->module) != "torch")
          framework.push_back(static_cast<int>(i));
        break;
      }
      case FrameOrigin::kStandardLibrary:
        break;
    }
  }
  return user.empty() ? framework : user;
}

std::string ApiName(const Stack& stack, int user_frame) {
  // From the user's frame inwards: the first frame that is not plumbing is what the user called.
  for (int i = user_frame - 1; i >= 0; --i) {
    const Frame& frame = stack.frames[static_cast<std::size_t>(i)];
    if (frame.function.empty() || IsPlumbing(frame.function)) continue;
    const std::string name = QualifiedName(frame);
    if (!name.empty()) return name;
  }
  return "";
}

std::string ShortPath(const std::string& file, const std::string& folder) {
  if (folder.empty() || folder == "/") return file;
  const std::string prefix = absl::EndsWith(folder, "/") ? folder : absl::StrCat(folder, "/");
  return absl::StartsWith(file, prefix) ? file.substr(prefix.size()) : file;
}

}  // namespace rollcall::analyzer
