#include "analyzer/model/join_communicators.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/model/global_rank.h"
#include "analyzer/model/held_ranks.h"

namespace rollcall::analyzer {
namespace {

// Of all communicators together, most of them absent: 16,384 ranks in 200 groups each.
constexpr int kMostMembersOfJob = 4'000'000;
constexpr int kSmall = 64;

struct Claim {
  int process = 0, handle = 0;
  int global_rank = -1;
  int creation = 0;
};
// Digest 0: nothing but the path or the name tells which group it is.
using Key = std::tuple<int, std::uint64_t, std::string, int>;

const CommunicatorHandle& HandleOf(const Claim& claim, const Job& job) {
  return job.processes[claim.process].communicators[claim.handle];
}

Key KeyOf(const Claim& claim, const Job& job) {
  const CommunicatorHandle& handle = HandleOf(claim, job);
  const std::string& path = handle.store_path.empty() ? handle.name : handle.store_path;
  return {job.processes[claim.process].incarnation, handle.digest, handle.digest == 0 ? path : "",
          claim.creation};
}

// rank in the communicator -> claims by global rank
std::map<int, std::vector<Claim>> ByRank(const std::vector<Claim>& claims, const Job& job) {
  std::map<int, std::vector<Claim>> by_rank;
  for (const Claim& claim : claims)
    by_rank[HandleOf(claim, job).rank].push_back(claim);
  return by_rank;
}

bool IsContested(const std::map<int, std::vector<Claim>>& by_rank) {
  return std::any_of(by_rank.begin(), by_rank.end(),
                     [](const auto& one) { return one.second.size() > 1; });
}

// Two processes of one global rank are duplicates, not members of different groups.
bool HasDuplicateProcess(const std::map<int, std::vector<Claim>>& by_rank) {
  for (const auto& [rank, claims] : by_rank) {
    std::set<int> global;
    for (const Claim& claim : claims) {
      if (!global.insert(claim.global_rank).second) return true;
    }
  }
  return false;
}

std::vector<std::vector<Claim>> SplitByOrder(const std::map<int, std::vector<Claim>>& by_rank) {
  std::vector<std::vector<Claim>> groups;
  const std::size_t count = by_rank.begin()->second.size();
  for (const auto& [rank, claims] : by_rank) {
    if (claims.size() != count) return {};
  }
  groups.resize(count);
  for (const auto& [rank, claims] : by_rank) {
    for (std::size_t i = 0; i < count; ++i)
      groups[i].push_back(claims[i]);
  }
  return groups;
}

// Claims of one key -> groups. `loaded` tells members where the trace does.
std::vector<std::vector<Claim>> Split(const std::vector<Claim>& claims,
                                      const std::vector<LoadedProcess>& loaded, const Job& job) {
  const auto by_rank = ByRank(claims, job);
  if (!IsContested(by_rank) || HasDuplicateProcess(by_rank)) return {claims};
  const auto partition = [&](auto property) {
    std::map<decltype(property(claims.front())), std::vector<Claim>> parts;
    for (const Claim& claim : claims)
      parts[property(claim)].push_back(claim);
    return parts;
  };
  const auto by_members = partition([&](const Claim& claim) {
    const auto found = loaded[claim.process].members.find(claim.handle);
    return found == loaded[claim.process].members.end() ? std::vector<int>{} : found->second;
  });
  const auto by_size = partition([&](const Claim& claim) { return HandleOf(claim, job).size; });
  std::vector<std::vector<Claim>> groups;
  const auto recurse = [&](const auto& parts) {
    for (const auto& [property, part] : parts) {
      for (std::vector<Claim>& group : Split(part, loaded, job))
        groups.push_back(std::move(group));
    }
  };
  if (by_members.size() > 1) {
    recurse(by_members);
  } else if (by_size.size() > 1) {
    recurse(by_size);
  } else {
    groups = SplitByOrder(by_rank);
  }
  return groups.empty() ? std::vector<std::vector<Claim>>{claims} : groups;
}

bool IsNumber(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void AddCommunicator(const std::vector<Claim>& claims, const std::vector<LoadedProcess>& loaded,
                     int& room, Job& job) {
  Communicator& communicator = job.communicators.emplace_back();
  const int index = static_cast<int>(job.communicators.size()) - 1;
  std::vector<int> global_ranks;
  for (const Claim& claim : claims) {
    Process& process = job.processes[claim.process];
    CommunicatorHandle& handle = process.communicators[claim.handle];
    handle.communicator = index;
    communicator.incarnation = process.incarnation;
    communicator.library = handle.library;
    communicator.digest = handle.digest;
    communicator.occurrence = handle.occurrence;
    communicator.flags |= handle.flags;
    communicator.size = std::max(communicator.size, handle.size);
    communicator.is_world |= FirstDefaultGroup(process) == claim.handle;
    if (communicator.name.empty()) communicator.name = handle.name;
    if (const auto found = loaded[claim.process].members.find(claim.handle);
        found != loaded[claim.process].members.end() && global_ranks.empty()) {
      global_ranks = found->second;
    }
  }
  const std::string& path = HandleOf(claims.front(), job).store_path;
  if (communicator.is_world) communicator.name = "world";
  if (IsNumber(communicator.name)) communicator.name = absl::StrCat("group ", communicator.name);
  if (communicator.name.empty()) communicator.name = path;

  std::map<int, std::vector<Claim>> by_rank = ByRank(claims, job);
  communicator.size = std::max(communicator.size, by_rank.rbegin()->first + 1);
  // Sizes that damage made up must not cost the memory of their members.
  if (communicator.size > room) {
    by_rank.erase(by_rank.upper_bound(std::max(room, kSmall)), by_rank.end());
    communicator.size = by_rank.empty() ? 0 : by_rank.rbegin()->first + 1;
  }
  room = std::max(0, room - communicator.size);
  const bool like_world = std::all_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    return HandleOf(claim, job).rank == claim.global_rank &&
           job.processes[claim.process].world_size == communicator.size;
  });
  for (int rank = 0; rank < communicator.size; ++rank) {
    const auto found = by_rank.find(rank);
    const std::size_t count = found == by_rank.end() ? 0 : found->second.size();
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
      Participant& member = communicator.members.emplace_back();
      member.rank = rank;
      if (count != 0) {
        member.process = found->second[i].process;
        member.handle = found->second[i].handle;
        member.global_rank = found->second[i].global_rank;
      } else if (communicator.is_world || like_world) {
        member.global_rank = rank;
      } else if (rank < static_cast<int>(global_ranks.size())) {
        member.global_rank = global_ranks[rank];
      }
    }
  }
}

// A member that never joined may have a trace all the same: it shows where the process is instead.
void FindProcessesOfAbsentMembers(Job& job) {
  std::map<std::pair<int, int>, int> by_rank;
  for (std::size_t i = 0; i < job.processes.size(); ++i) {
    const Process& process = job.processes[i];
    if (process.rank >= 0)
      by_rank.try_emplace({process.incarnation, process.rank}, static_cast<int>(i));
  }
  for (const Communicator& communicator : job.communicators) {
    for (const Participant& member : communicator.members) {
      if (member.process >= 0 && member.global_rank >= 0)
        by_rank.try_emplace({communicator.incarnation, member.global_rank}, member.process);
    }
  }
  for (Communicator& communicator : job.communicators) {
    for (Participant& member : communicator.members) {
      if (member.process >= 0 || member.global_rank < 0) continue;
      const auto found = by_rank.find({communicator.incarnation, member.global_rank});
      if (found != by_rank.end()) member.process = found->second;
    }
  }
}

}  // namespace

void JoinCommunicators(const std::vector<LoadedProcess>& loaded, Job& job) {
  std::map<Key, std::vector<Claim>> keys;
  std::vector<Key> order;  // as the lowest rank made them, so that reports name them in that order
  for (std::size_t process = 0; process < job.processes.size(); ++process) {
    const std::vector<int> ranks = RanksOfHandles(job.processes[process]);
    const std::vector<int> creations = CreationsOfHandles(job.processes[process]);
    for (std::size_t handle = 0; handle < ranks.size(); ++handle) {
      const Claim claim{static_cast<int>(process), static_cast<int>(handle), ranks[handle],
                        creations[handle]};
      const Key key = KeyOf(claim, job);
      std::vector<Claim>& claims = keys[key];
      if (claims.empty()) order.push_back(key);
      claims.push_back(claim);
    }
  }
  int room = kMostMembersOfJob;
  for (const Key& key : order) {
    for (const std::vector<Claim>& group : Split(keys[key], loaded, job))
      AddCommunicator(group, loaded, room, job);
  }
  FindProcessesOfAbsentMembers(job);
}

void SetParticipantCalls(std::vector<Decoded>& decoded, Job& job) {
  for (Communicator& communicator : job.communicators) {
    for (Participant& member : communicator.members) {
      if (member.handle < 0) continue;
      Sequence& sequence = decoded[member.process].sequences[member.handle];
      member.first_position = sequence.first_position;
      member.calls = std::move(sequence.calls);  // elements stay: agreement needs them
    }
  }
}

}  // namespace rollcall::analyzer
