#include "analyzer/model/agreement.h"

#include <algorithm>
#include <limits>
#include <map>
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

// The greatest checkpoint of the first member at which all hashes are equal. Prefix hashes: equal
// at one position means equal before, so each member can only lower what the others left, and needs
// no look at what it has not got.
std::int64_t AgreedCheckpoint(const std::vector<Member>& members) {
  using Checkpoints = std::map<std::int64_t, std::uint64_t>;
  const auto checkpoints = [](const Member& member) -> const Checkpoints* {
    const auto found = member.trace->checkpoints.find(member.lane);
    return found == member.trace->checkpoints.end() ? nullptr : &found->second;
  };
  const Checkpoints* first = checkpoints(members.front());
  if (first == nullptr) return 0;
  auto candidate = first->rbegin();
  for (const Member& member : members) {
    const Checkpoints* of = checkpoints(member);
    if (of == nullptr) return 0;
    for (; candidate != first->rend(); ++candidate) {
      const auto found = of->find(candidate->first);
      if (found != of->end() && found->second == candidate->second) break;
    }
  }
  return candidate == first->rend() ? 0 : candidate->first;
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
  const std::uint64_t* expected = members.front().sequence->elements.data() +
                                  (common - members.front().sequence->first_position);
  std::int64_t agreed = end;
  for (const Member& member : members) {
    const std::uint64_t* elements =
        member.sequence->elements.data() + (common - member.sequence->first_position);
    agreed =
        common + (std::mismatch(elements, elements + (agreed - common), expected).first - elements);
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
