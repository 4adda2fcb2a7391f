#include "analyzer/model/held_ranks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace rollcall::analyzer {
namespace {

// Handles of the first communicator of which the process is several members; else none.
std::vector<std::size_t> SeveralOfOne(const Process& process) {
  const std::vector<int> creations = CreationsOfHandles(process);
  std::map<std::tuple<std::uint64_t, std::string, int, int>, std::vector<std::size_t>> handles;
  for (std::size_t i = 0; i < process.communicators.size(); ++i) {
    const CommunicatorHandle& handle = process.communicators[i];
    handles[{handle.digest, handle.digest == 0 ? handle.name + handle.store_path : "", handle.size,
             creations[i]}]
        .push_back(i);
  }
  std::vector<std::size_t> first;
  for (auto& [key, of] : handles) {
    std::set<int> ranks;
    for (const std::size_t handle : of)
      ranks.insert(process.communicators[handle].rank);
    if (ranks.size() < 2 || ranks.size() != of.size()) continue;
    if (first.empty() || of.front() < first.front()) first = std::move(of);
  }
  return first;
}

}  // namespace

std::vector<int> CreationsOfHandles(const Process& process) {
  std::map<std::pair<std::uint64_t, int>, int> made;  // by digest and rank
  std::vector<int> creations;
  for (const CommunicatorHandle& handle : process.communicators) {
    const bool counted = handle.library == LIBRARY_NCCL && handle.digest != 0;
    creations.push_back(counted ? made[{handle.digest, handle.rank}]++ : handle.occurrence);
  }
  return creations;
}

std::vector<int> RanksOfHandles(const Process& process) {
  const std::vector<CommunicatorHandle>& handles = process.communicators;
  std::vector<int> ranks(handles.size(), process.rank);
  const std::vector<std::size_t> several = SeveralOfOne(process);
  if (several.empty()) return ranks;
  std::fill(ranks.begin(), ranks.end(), -1);
  for (const std::size_t handle : several)
    ranks[handle] = handles[handle].rank;
  std::map<int, int> rank_of_thread;  // -1 = makes calls of several
  for (const Shape& shape : process.shapes) {
    if (shape.communicator < 0 || shape.thread < 0) continue;
    const int rank = ranks[static_cast<std::size_t>(shape.communicator)];
    if (rank < 0) continue;
    const auto [found, is_new] = rank_of_thread.try_emplace(shape.thread, rank);
    if (!is_new && found->second != rank) found->second = -1;
  }
  std::map<int, int> rank_by_thread_of;  // handle -> rank
  for (const Shape& shape : process.shapes) {
    if (shape.communicator < 0) continue;
    if (const auto found = rank_of_thread.find(shape.thread); found != rank_of_thread.end())
      rank_by_thread_of.try_emplace(shape.communicator, found->second);
  }
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (ranks[i] >= 0) continue;
    const int parent = handles[i].parent;
    if (parent >= 0 && parent < static_cast<int>(i))
      ranks[i] = ranks[static_cast<std::size_t>(parent)];
    const auto found = rank_by_thread_of.find(static_cast<int>(i));
    if (ranks[i] < 0 && found != rank_by_thread_of.end()) ranks[i] = found->second;
  }
  return ranks;
}

}  // namespace rollcall::analyzer
