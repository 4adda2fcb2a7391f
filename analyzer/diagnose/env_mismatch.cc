// env_mismatch: variables or versions that all ranks must agree in differ. It may explain what else
// was found; alone it is a warning.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// What a library documents as equal on all ranks: it chooses the algorithm, the layout of messages,
// or which calls are made. Interfaces, devices, output and paths differ legally from host to host.
struct Shared {
  const char* name;
  Library library;  // counts only where it is used; UNKNOWN = always
};
constexpr std::array<Shared, 17> kMustAgree = {{
    {"env.NCCL_ALGO", LIBRARY_NCCL},
    {"env.NCCL_PROTO", LIBRARY_NCCL},
    {"env.NCCL_MIN_NCHANNELS", LIBRARY_NCCL},
    {"env.NCCL_MAX_NCHANNELS", LIBRARY_NCCL},
    {"env.NCCL_MIN_CTAS", LIBRARY_NCCL},
    {"env.NCCL_MAX_CTAS", LIBRARY_NCCL},
    {"env.NCCL_BUFFSIZE", LIBRARY_NCCL},
    {"env.NCCL_LL_BUFFSIZE", LIBRARY_NCCL},
    {"env.NCCL_LL128_BUFFSIZE", LIBRARY_NCCL},
    {"env.NCCL_NTHREADS", LIBRARY_NCCL},
    {"env.NCCL_P2P_NET_CHUNKSIZE", LIBRARY_NCCL},
    {"env.NCCL_NSOCKS_PERTHREAD", LIBRARY_NCCL},
    {"env.NCCL_SOCKET_NTHREADS", LIBRARY_NCCL},
    {"nccl.version", LIBRARY_NCCL},
    {"env.GLOO_DEVICE_TRANSPORT", LIBRARY_GLOO},
    {"env.TORCH_DISTRIBUTED_DEBUG", LIBRARY_UNKNOWN},
    {"torch.version", LIBRARY_UNKNOWN},
}};

bool IsUsed(const Examination& exam, Library library) {
  return library == LIBRARY_UNKNOWN ||
         std::any_of(exam.communicators.begin(), exam.communicators.end(),
                     [&](int index) { return exam.communicator(index).library == library; });
}

// Of the levels of TORCH_DISTRIBUTED_DEBUG only DETAIL makes calls of its own.
std::string ValueOf(const Process& process, const std::string& setting) {
  const std::string& value = process.Setting(setting);
  if (setting == "env.TORCH_DISTRIBUTED_DEBUG") return value == "DETAIL" ? value : "";
  return value;
}

std::string NameOf(const std::string& setting) {
  return absl::StartsWith(setting, "env.") ? setting.substr(4) : setting;
}

// In the words of the recording: "NCCL_ALGO=Tree", "NCCL_ALGO not set".
std::string ValueWords(const std::string& setting, const std::string& value) {
  if (value.empty()) return absl::StrCat(NameOf(setting), " not set");
  return absl::StrCat(NameOf(setting), absl::StartsWith(setting, "env.") ? "=" : " ", value);
}

// A version that was not recorded says nothing; a variable that was not is not set.
bool IsKnown(const std::string& setting, const std::string& value) {
  return !value.empty() || absl::StartsWith(setting, "env.");
}

}  // namespace

std::optional<Finding> EnvironmentMismatch(const Examination& exam) {
  std::set<int> named;
  std::vector<std::string> why;
  bool any_tie = false;
  for (const auto& [name, library] : kMustAgree) {
    const std::string setting = name;
    if (!IsUsed(exam, library)) continue;
    std::map<std::string, std::vector<int>> ranks_by_value;
    for (const int p : exam.processes()) {
      // Where nothing of the environment is recorded, a variable that is not there says nothing.
      if (exam.process(p).settings.empty()) continue;
      const std::string value = ValueOf(exam.process(p), setting);
      if (IsKnown(setting, value)) ranks_by_value[value].push_back(exam.process(p).rank);
    }
    if (ranks_by_value.size() < 2) continue;
    std::size_t most = 0;
    for (const auto& [value, ranks] : ranks_by_value)
      most = std::max(most, ranks.size());
    const bool tie = std::count_if(ranks_by_value.begin(), ranks_by_value.end(),
                                   [&](const auto& of) { return of.second.size() == most; }) > 1;
    any_tie = any_tie || tie;
    std::string words;
    for (auto& [value, ranks] : ranks_by_value) {
      std::sort(ranks.begin(), ranks.end());
      absl::StrAppend(&words, words.empty() ? "" : ", ", RankWords(ranks), ": ",
                      ValueWords(setting, value));
      if (tie || ranks.size() < most) named.insert(ranks.begin(), ranks.end());
    }
    why.push_back(words);
  }
  if (why.empty()) return std::nullopt;
  Finding finding = NewFinding("env_mismatch", "warning");
  SetRanks({named.begin(), named.end()}, &finding);
  finding.set_message(
      absl::StrCat("the environment that all ranks must agree in differs: ", why.front(),
                   why.size() > 1 ? absl::StrCat(" (and ", why.size() - 1, " more)") : ""));
  for (const std::string& words : why)
    finding.add_why(words);
  if (any_tie)
    finding.add_why(
        "two groups of equal size disagree: which of them is wrong cannot be told by majority, so "
        "the ranks of both are named");
  finding.set_advice(
      "Set these variables to one value on all machines, and install the same versions there.");
  return finding;
}

}  // namespace rollcall::analyzer
