#include "analyzer/model/wanted_rows.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "analyzer/model/agreement.h"

namespace rollcall::analyzer {
namespace {

std::int64_t RowsOf(const LoadedProcess& loaded) {
  return static_cast<std::int64_t>(loaded.trace.call_blocks.size()) * kRollcallRows;
}

// Rows from the newest back to position `agreed` of the lane, if its calls are spread evenly over
// the rows.
std::int64_t RowsBackTo(std::int64_t agreed, std::uint32_t lane, const LoadedProcess& loaded) {
  const auto progress = loaded.trace.progress.find(lane);
  if (lane == 0 || progress == loaded.trace.progress.end()) return kAllRows;
  const auto count = static_cast<std::int64_t>(progress->second.count);
  const double rows_per_call = static_cast<double>(progress->second.next_row) /
                               static_cast<double>(std::max<std::int64_t>(1, count));
  const double rows =
      static_cast<double>(count - agreed + kRollcallCheckpointInterval) * rows_per_call;
  return rows < 1e15 ? static_cast<std::int64_t>(rows) : kAllRows;
}

// Keeps memory bounded: no process has more than an equal share of what is left by those that want
// less.
void Bound(const std::vector<LoadedProcess>& loaded, std::int64_t most,
           std::vector<std::int64_t>& wanted) {
  std::vector<std::size_t> order(loaded.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rows = [&](std::size_t i) { return std::min(wanted[i], RowsOf(loaded[i])); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows(a) < rows(b); });
  std::int64_t left = most;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t share = left / static_cast<std::int64_t>(order.size() - i);
    if (rows(order[i]) > share) wanted[order[i]] = share;
    left -= rows(order[i]);
  }
}

std::set<std::size_t> TooShort(const std::vector<LoadedProcess>& loaded,
                               const std::vector<Decoded>& decoded,
                               const std::vector<std::int64_t>& wanted, const Job& job) {
  std::set<std::size_t> processes;
  for (const Communicator& communicator : job.communicators) {
    const QuickAgreement agreement = AgreeByFingerprints(communicator, loaded);
    if (agreement.complete) continue;
    for (const Participant& member : communicator.members) {
      if (member.handle < 0 || wanted[member.process] >= RowsOf(loaded[member.process])) continue;
      const Sequence& sequence = decoded[member.process].sequences[member.handle];
      if (sequence.first_position > agreement.agreed)
        processes.insert(static_cast<std::size_t>(member.process));
    }
  }
  return processes;
}

}  // namespace

std::vector<std::int64_t> WantedRows(const std::vector<LoadedProcess>& loaded, const Job& job,
                                     const RowLimits& limits) {
  std::int64_t all = 0;
  for (const LoadedProcess& one : loaded)
    all += RowsOf(one);
  if (all <= limits.all_of_job) return std::vector<std::int64_t>(loaded.size(), kAllRows);
  const std::int64_t window =
      std::clamp<std::int64_t>(limits.windows_of_job / static_cast<std::int64_t>(loaded.size()),
                               std::min<std::int64_t>(512, limits.window), limits.window);
  std::vector<std::int64_t> wanted(loaded.size(), window);
  for (const Communicator& communicator : job.communicators) {
    const QuickAgreement agreement = AgreeByFingerprints(communicator, loaded);
    if (agreement.complete) continue;
    for (const Participant& member : communicator.members) {
      if (member.handle < 0) continue;
      const LoadedProcess& process = loaded[member.process];
      const std::int64_t rows =
          RowsBackTo(agreement.agreed, process.collective_lane[member.handle], process);
      std::int64_t& most = wanted[member.process];
      most = std::max(most, rows == kAllRows ? kAllRows : rows + window);
    }
  }
  Bound(loaded, limits.most_of_job, wanted);
  return wanted;
}

std::vector<std::int64_t> WantedAgain(const std::vector<LoadedProcess>& loaded,
                                      const std::vector<Decoded>& decoded,
                                      const std::vector<std::int64_t>& wanted, const Job& job,
                                      const RowLimits& limits) {
  std::vector<std::int64_t> again = wanted;
  for (const std::size_t process : TooShort(loaded, decoded, wanted, job))
    again[process] = kAllRows;
  Bound(loaded, limits.most_of_job, again);
  return again;
}

std::size_t CutShort(const std::vector<LoadedProcess>& loaded, const std::vector<Decoded>& decoded,
                     const std::vector<std::int64_t>& wanted, const Job& job) {
  return TooShort(loaded, decoded, wanted, job).size();
}

}  // namespace rollcall::analyzer
