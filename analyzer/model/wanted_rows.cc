#include "analyzer/model/wanted_rows.h"

#include <algorithm>

#include "analyzer/model/agreement.h"

namespace rollcall::analyzer {
namespace {

// Below this all rows of the job are decoded, so that call sites of agreeing calls can be compared
// too.
constexpr std::int64_t kAllRowsOfJob = 4'000'000;
// In front of what parts, per process.
constexpr std::int64_t kWindow = 4096;
// Of all processes together; with 10,000 ranks the window shrinks.
constexpr std::int64_t kWindowsOfJob = 16'000'000;

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

}  // namespace

std::vector<std::int64_t> WantedRows(const std::vector<LoadedProcess>& loaded, const Job& job) {
  std::int64_t all = 0;
  for (const LoadedProcess& one : loaded)
    all += RowsOf(one);
  if (all <= kAllRowsOfJob) return std::vector<std::int64_t>(loaded.size(), kAllRows);
  const std::int64_t window = std::clamp<std::int64_t>(
      kWindowsOfJob / static_cast<std::int64_t>(loaded.size()), 512, kWindow);
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
  return wanted;
}

std::vector<int> FindTooShort(const std::vector<LoadedProcess>& loaded,
                              const std::vector<Decoded>& decoded,
                              const std::vector<std::int64_t>& wanted, const Job& job) {
  std::vector<int> processes;
  for (const Communicator& communicator : job.communicators) {
    const QuickAgreement agreement = AgreeByFingerprints(communicator, loaded);
    if (agreement.complete) continue;
    for (const Participant& member : communicator.members) {
      if (member.handle < 0 || wanted[member.process] >= RowsOf(loaded[member.process])) continue;
      const Sequence& sequence = decoded[member.process].sequences[member.handle];
      if (sequence.first_position > agreement.agreed) processes.push_back(member.process);
    }
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

}  // namespace rollcall::analyzer
