#include "analyzer/model/agreement.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "proto/fingerprint.h"

namespace rollcall::analyzer {
namespace {

struct Member {
  const TraceFile* trace = nullptr;
  const Sequence* sequence = nullptr;  // null before rows are decoded
  std::uint32_t lane = 0;
};

std::vector<Member> VisibleMembers(const Communicator& communicator,
                                   const std::vector<LoadedProcess>& loaded,
                                   const std::vector<Decoded>* decoded) {
  std::vector<Member> members;
  for (const Participant& participant : communicator.members) {
    if (participant.handle < 0) continue;
    const LoadedProcess& process = loaded[participant.process];
    members.push_back({&process.trace,
                       decoded != nullptr
                           ? &(*decoded)[participant.process].sequences[participant.handle]
                           : nullptr,
                       process.collective_lane[participant.handle]});
  }
  return members;
}

const ProgressView* FindProgress(const Member& member) {
  const auto found = member.trace->progress.find(member.lane);
  return member.lane == 0 || found == member.trace->progress.end() || found->second.ended
             ? nullptr
             : &found->second;
}

// The greatest checkpoint of all members at which all hashes are equal. Prefix hashes: equal at one
// position means equal before.
std::int64_t AgreedCheckpoint(const std::vector<Member>& members) {
  const auto first = members.front().trace->checkpoints.find(members.front().lane);
  if (first == members.front().trace->checkpoints.end()) return 0;
  for (auto candidate = first->second.rbegin(); candidate != first->second.rend(); ++candidate) {
    const bool all = std::all_of(members.begin(), members.end(), [&](const Member& member) {
      const auto lane = member.trace->checkpoints.find(member.lane);
      if (lane == member.trace->checkpoints.end()) return false;
      const auto found = lane->second.find(candidate->first);
      return found != lane->second.end() && found->second == candidate->second;
    });
    if (all) return candidate->first;
  }
  return 0;
}

std::uint64_t HashOf(const Sequence& sequence, std::int64_t from, std::int64_t to) {
  std::uint64_t hash = 0;
  for (std::int64_t position = from; position < to; ++position) {
    hash = RollcallFingerprintAppend(hash, sequence.elements[position - sequence.first_position]);
  }
  return hash;
}

// H(position) from a known H(anchor) at or behind it, over rows that are there:
// H(anchor) = H(position) * B^n + h, so H(position) = (H(anchor) - h) * B^-n, and B^-1 = B^(p-2).
std::uint64_t HashBefore(std::uint64_t anchor_hash, std::uint64_t rows_hash, std::int64_t rows) {
  const std::uint64_t difference =
      (anchor_hash + ROLLCALL_FINGERPRINT_PRIME - rows_hash) % ROLLCALL_FINGERPRINT_PRIME;
  const std::uint64_t power = RollcallFingerprintPower(static_cast<std::uint64_t>(rows));
  std::uint64_t inverse = 1, base = power;
  for (std::uint64_t exponent = ROLLCALL_FINGERPRINT_PRIME - 2; exponent != 0; exponent >>= 1) {
    if (exponent & 1) inverse = RollcallFingerprintMultiply(inverse, base);
    base = RollcallFingerprintMultiply(base, base);
  }
  return RollcallFingerprintMultiply(difference, inverse);
}

// H(position) of one member, if its rows and its Progress tell.
std::optional<std::uint64_t> HashAt(const Member& member, std::int64_t position) {
  const Sequence& sequence = *member.sequence;
  const std::int64_t end =
      sequence.first_position + static_cast<std::int64_t>(sequence.elements.size());
  if (position < sequence.first_position || position > end) return std::nullopt;
  if (sequence.first_position == 0) return HashOf(sequence, 0, position);
  const ProgressView* progress = FindProgress(member);
  if (progress == nullptr) return std::nullopt;
  const auto count = static_cast<std::int64_t>(progress->count);
  if (count < sequence.first_position || count > end) return std::nullopt;
  if (count < position) {
    std::uint64_t hash = progress->hash;
    for (std::int64_t at = count; at < position; ++at) {
      hash = RollcallFingerprintAppend(hash, sequence.elements[at - sequence.first_position]);
    }
    return hash;
  }
  return HashBefore(progress->hash, HashOf(sequence, position, count), count - position);
}

std::int64_t AgreeByRows(const std::vector<Member>& members) {
  std::int64_t common = 0, end = std::numeric_limits<std::int64_t>::max();
  for (const Member& member : members) {
    const Sequence& sequence = *member.sequence;
    common = std::max(common, sequence.first_position);
    end = std::min(end,
                   sequence.first_position + static_cast<std::int64_t>(sequence.elements.size()));
  }
  const std::int64_t checkpoint = AgreedCheckpoint(members);
  if (end < common) return std::min(checkpoint, end);
  if (common > checkpoint) {
    const std::optional<std::uint64_t> hash = HashAt(members.front(), common);
    const bool equal =
        hash && std::all_of(members.begin(), members.end(),
                            [&](const Member& member) { return HashAt(member, common) == hash; });
    if (!equal) return checkpoint;
  }
  const auto element = [](const Member& member, std::int64_t position) {
    return member.sequence->elements[position - member.sequence->first_position];
  };
  std::int64_t agreed = common;
  while (agreed < end && std::all_of(members.begin(), members.end(), [&](const Member& member) {
           return element(member, agreed) == element(members.front(), agreed);
         })) {
    ++agreed;
  }
  return std::max(agreed, checkpoint);
}

}  // namespace

QuickAgreement AgreeByFingerprints(const Communicator& communicator,
                                   const std::vector<LoadedProcess>& loaded) {
  const std::vector<Member> members = VisibleMembers(communicator, loaded, nullptr);
  if (members.empty()) return {0, true};
  QuickAgreement agreement{AgreedCheckpoint(members), true};
  const ProgressView* first = FindProgress(members.front());
  for (const Member& member : members) {
    const ProgressView* progress = FindProgress(member);
    agreement.complete = agreement.complete && first != nullptr && progress != nullptr &&
                         progress->count == first->count && progress->hash == first->hash;
  }
  if (agreement.complete) agreement.agreed = static_cast<std::int64_t>(first->count);
  return agreement;
}

void SetAgreedPositions(const std::vector<LoadedProcess>& loaded,
                        const std::vector<Decoded>& decoded, Job& job) {
  for (Communicator& communicator : job.communicators) {
    const std::vector<Member> members = VisibleMembers(communicator, loaded, &decoded);
    if (members.empty()) continue;
    const std::int64_t agreed = AgreeByRows(members);
    for (Participant& participant : communicator.members)
      participant.agreed_position = agreed;
  }
}

}  // namespace rollcall::analyzer
