// What becomes of calls that meet and differ. The rules are those that were observed of Gloo and
// NCCL: they are listed in tests/README.md.
#include <algorithm>

#include "analyzer/scenario/matching.h"
#include "analyzer/scenario/words.h"

namespace rollcall::analyzer::scenario {
namespace {

// NCCL moves data in steps: as many of them on both sides, and nobody notices.
constexpr std::uint64_t kNcclStepBytes = 512 << 10;

std::uint64_t Steps(std::uint64_t bytes) {
  return (bytes + kNcclStepBytes - 1) / kNcclStepBytes;
}

bool ComparesBytes(Operation operation) {
  switch (operation) {
    case OPERATION_ALLREDUCE:
    case OPERATION_BROADCAST:
    case OPERATION_REDUCE:
    case OPERATION_ALLGATHER:
    case OPERATION_REDUCESCATTER:
    case OPERATION_GATHER:
    case OPERATION_SCATTER:
      return true;
    default:
      return false;
  }
}

std::vector<Fate> NcclFates(const std::vector<const Statement*>& calls) {
  std::uint64_t least = Steps(BytesOf(*calls.front()));
  for (const Statement* call : calls)
    least = std::min(least, Steps(BytesOf(*call)));
  std::vector<Fate> fates;
  for (const Statement* call : calls)
    fates.push_back(Steps(BytesOf(*call)) > least ? Fate::kWaits : Fate::kCompletes);
  return fates;
}

// Who takes its data from a root that sends to others waits for ever.
std::vector<Fate> GlooRootFates(const std::vector<const Statement*>& calls,
                                const std::vector<int>& ranks) {
  const auto root_of = [&](int rank) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? -1
                                : *calls[static_cast<std::size_t>(found - ranks.begin())]->root;
  };
  std::vector<Fate> fates;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const int root = *calls[i]->root;
    fates.push_back(root == ranks[i] || root_of(root) == root ? Fate::kCompletes : Fate::kWaits);
  }
  return fates;
}

std::vector<Fate> GlooSizeFates(const std::vector<const Statement*>& calls,
                                const std::vector<int>& ranks) {
  std::uint64_t least = BytesOf(*calls.front()), most = least;
  for (const Statement* call : calls) {
    least = std::min(least, BytesOf(*call));
    most = std::max(most, BytesOf(*call));
  }
  std::vector<Fate> fates(calls.size(), Fate::kCompletes);
  if (least == most) return fates;
  const bool broadcast = calls.front()->operation == OPERATION_BROADCAST;
  std::uint64_t sent = most;
  for (std::size_t i = 0; broadcast && i < calls.size(); ++i) {
    if (ranks[i] == calls[i]->root) sent = BytesOf(*calls[i]);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // A message that is longer than the buffer aborts the receiver; one that is shorter fits.
    if (BytesOf(*calls[i]) < sent) {
      fates[i] = Fate::kAborts;
    } else if (!broadcast) {
      fates[i] = Fate::kFails;
    }
  }
  return fates;
}

}  // namespace

std::uint64_t BytesOf(const Statement& statement) {
  return statement.count * BytesOf(statement.datatype);
}

std::vector<Fate> FatesOfCollective(Library library, const std::vector<const Statement*>& calls,
                                    const std::vector<int>& ranks) {
  const Operation operation = calls.front()->operation;
  const bool same_operation = std::all_of(calls.begin(), calls.end(), [&](const Statement* call) {
    return call->operation == operation;
  });
  if (!same_operation) return std::vector<Fate>(calls.size(), Fate::kWaits);
  // With splits, sizes go by pairs.
  const bool even = std::all_of(calls.begin(), calls.end(), [](const Statement* call) {
    return call->operation == OPERATION_ALLTOALL && call->splits.empty();
  });
  if (!ComparesBytes(operation) && !even) return std::vector<Fate>(calls.size(), Fate::kCompletes);
  if (library == LIBRARY_NCCL) return NcclFates(calls);
  const bool same_root = std::all_of(calls.begin(), calls.end(), [&](const Statement* call) {
    return call->root == calls.front()->root;
  });
  const bool from_root = operation == OPERATION_BROADCAST || operation == OPERATION_SCATTER;
  if (from_root && !same_root) return GlooRootFates(calls, ranks);
  return GlooSizeFates(calls, ranks);
}

std::pair<Fate, Fate> FatesOfPair(Library library, const Statement& send, const Statement& recv) {
  const std::uint64_t sent = BytesOf(send), room = BytesOf(recv);
  if (library == LIBRARY_GLOO)
    return {Fate::kCompletes, sent > room ? Fate::kAborts : Fate::kCompletes};
  return {Fate::kCompletes, room > sent ? Fate::kWaits : Fate::kCompletes};
}

}  // namespace rollcall::analyzer::scenario
