#include "analyzer/model/global_rank.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

struct RankVariables {
  const char* rank;
  const char* size;
  const char* local_rank;  // "" = that launcher tells none
};
constexpr RankVariables kRankVariables[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", ""},
    {"PMIX_RANK", "PMIX_SIZE", ""}};

std::optional<int> Number(const Process& process, const char* variable) {
  int number = 0;
  const std::string& text = process.Setting(absl::StrCat("env.", variable));
  if (text.empty() || !absl::SimpleAtoi(text, &number) || number < 0) return std::nullopt;
  return number;
}

// Those of the launcher; null when there is none.
const RankVariables* FindVariables(const Process& process) {
  for (const RankVariables& candidate : kRankVariables) {
    if (Number(process, candidate.rank)) return &candidate;
  }
  return nullptr;
}

}  // namespace

int FirstDefaultGroup(const Process& process) {
  int named_world = -1;
  for (std::size_t i = 0; i < process.communicators.size(); ++i) {
    const CommunicatorHandle& handle = process.communicators[i];
    if ((handle.flags & FLAG_INTERNAL) != 0) continue;
    // torchrun of 1.13 puts "/worker/attempt_N|" in front of the path.
    if (absl::StrContains(handle.store_path, "default_pg")) return static_cast<int>(i);
    if (named_world < 0 && handle.name == "world") named_world = static_cast<int>(i);
  }
  return named_world;
}

void SetGlobalRank(Process& process) {
  const RankVariables* variables = FindVariables(process);
  if (const int group = FirstDefaultGroup(process); group >= 0) {
    const CommunicatorHandle& handle = process.communicators[group];
    process.rank = handle.rank;
    process.world_size = handle.size;
    process.rank_source = "process group";
    return;
  }
  if (variables != nullptr) {
    process.rank = *Number(process, variables->rank);
    process.world_size = Number(process, variables->size).value_or(-1);
    process.rank_source = variables->rank;
    return;
  }
  for (const CommunicatorHandle& handle : process.communicators) {
    if ((handle.flags & FLAG_INTERNAL) != 0) continue;
    process.rank = handle.rank;
    process.world_size = handle.size;
    process.rank_source = "communicator";
    return;
  }
}

std::string RankDisagreement(const Process& process) {
  const RankVariables* variables = FindVariables(process);
  if (variables == nullptr || FirstDefaultGroup(process) < 0) return "";
  const int told = *Number(process, variables->rank);
  if (told == process.rank) return "";
  return absl::StrCat(
      "process ", process.pid, " on ", process.host, " is rank ", process.rank,
      " of its process group, but ", variables->rank, "=", told, " in its environment",
      TookLocalRank(process) ? absl::StrCat(": it took ", variables->local_rank, " for its rank")
                             : "");
}

bool TookLocalRank(const Process& process) {
  const RankVariables* variables = FindVariables(process);
  if (variables == nullptr || FirstDefaultGroup(process) < 0) return false;
  return Number(process, variables->rank) != process.rank &&
         Number(process, variables->local_rank) == process.rank;
}

}  // namespace rollcall::analyzer
