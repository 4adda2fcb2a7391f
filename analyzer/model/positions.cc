#include "analyzer/model/positions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

struct Anchor {
  std::int64_t count = 0, next_row = 0;
};

std::optional<Anchor> FindAnchor(const LoadedProcess& loaded, std::size_t communicator) {
  const auto found = loaded.trace.progress.find(loaded.collective_lane[communicator]);
  if (loaded.collective_lane[communicator] == 0 || found == loaded.trace.progress.end())
    return std::nullopt;
  return Anchor{static_cast<std::int64_t>(found->second.count),
                static_cast<std::int64_t>(found->second.next_row)};
}

// Rows of two threads may be claimed in another order than their tags were taken.
void SortByTag(const std::vector<Call>& calls, const RowFacts& facts,
               std::vector<std::int64_t>& indices) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> tagged;
  tagged.reserve(indices.size());
  std::uint64_t next = 0;
  for (const std::int64_t index : indices) {
    const RowFacts::Tag* known = facts.FindTag(calls[index].row);
    const std::uint64_t tag = known != nullptr ? known->value : next;
    next = tag + (known != nullptr ? known->taken : 1);
    tagged.emplace_back(tag, index);
  }
  std::stable_sort(tagged.begin(), tagged.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = tagged[i].second;
}

// Position of the first of `indices`; nothing if it cannot be known.
std::optional<std::int64_t> StartOfRun(const CallRun& run, const std::optional<Anchor>& anchor,
                                       const std::optional<std::int64_t>& behind_last_run,
                                       bool rows_were_lost, const std::vector<Call>& calls,
                                       const std::vector<std::int64_t>& indices) {
  if (run.first_row == 0) return 0;
  // Between two runs blocks are missing. When rows were lost, nobody can tell how many calls of
  // this communicator were in them; else they were not seen yet, and must not be passed over.
  const std::optional<std::int64_t> on_from_there = rows_were_lost ? behind_last_run : std::nullopt;
  if (!anchor) return on_from_there;
  const auto end_row = static_cast<std::int64_t>(run.last_sequence * kRollcallRows);
  if (anchor->next_row > end_row) return std::nullopt;
  if (anchor->next_row == run.first_row) return anchor->count;
  if (anchor->next_row < run.first_row) return on_from_there;
  const auto covered = std::count_if(indices.begin(), indices.end(), [&](std::int64_t index) {
    return calls[index].row < anchor->next_row;
  });
  return std::max<std::int64_t>(0, anchor->count - covered);
}

}  // namespace

void SetPositions(const std::vector<CallRun>& runs, const RowFacts& facts, LoadedProcess& loaded,
                  Decoded& decoded) {
  std::vector<Call>& calls = loaded.process.calls;
  const std::size_t communicators = loaded.process.communicators.size();
  decoded.sequences.assign(communicators, {});
  std::vector<std::optional<std::int64_t>> behind(communicators);
  std::vector<std::vector<std::int64_t>> in_run(communicators);
  std::int64_t unplaced = 0;
  for (const CallRun& run : runs) {
    for (std::vector<std::int64_t>& indices : in_run)
      indices.clear();
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t shape = calls[i].shape;
      if (!loaded.is_position[shape]) continue;
      in_run[loaded.process.shapes[shape].communicator].push_back(static_cast<std::int64_t>(i));
    }
    for (std::size_t communicator = 0; communicator < communicators; ++communicator) {
      std::vector<std::int64_t>& indices = in_run[communicator];
      const std::optional<std::int64_t> start =
          StartOfRun(run, FindAnchor(loaded, communicator), behind[communicator],
                     loaded.process.lost_rows != 0, calls, indices);
      if (!start) {
        unplaced += static_cast<std::int64_t>(indices.size());
        continue;
      }
      if (facts.has_tags()) SortByTag(calls, facts, indices);
      Sequence& sequence = decoded.sequences[communicator];
      if (!sequence.calls.empty() && behind[communicator] != start)
        sequence = {};  // a gap: the later part counts
      if (sequence.calls.empty()) sequence.first_position = *start;
      std::int64_t position = *start;
      for (const std::int64_t index : indices) {
        calls[index].position = position++;
        sequence.calls.push_back(index);
        const std::uint64_t element = facts.Element(calls[index].row);
        sequence.elements.push_back(
            element != 0 ? element : loaded.process.shapes[calls[index].shape].fingerprint);
      }
      behind[communicator] = position;
    }
  }
  for (std::size_t communicator = 0; communicator < communicators; ++communicator) {
    const std::optional<Anchor> anchor = FindAnchor(loaded, communicator);
    Sequence& sequence = decoded.sequences[communicator];
    if (sequence.calls.empty() && anchor)
      sequence.first_position = std::max(sequence.first_position, anchor->count);
  }
  if (unplaced != 0) {
    decoded.notes.push_back(absl::StrCat(unplaced,
                                         " early calls are left of blocks that were reused; their "
                                         "place in their sequences is not known"));
  }
}

}  // namespace rollcall::analyzer
