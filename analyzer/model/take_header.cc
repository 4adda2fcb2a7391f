// What a trace says about its process as a whole: header, state page, and events that are not about
// a row.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/model/loaded_process.h"

namespace rollcall::analyzer {
namespace {

int StackOf(const LoadedProcess& loaded, std::uint32_t id) {
  const auto found = loaded.python_stacks.find(id);
  return id == 0 || found == loaded.python_stacks.end() ? -1 : found->second;
}

std::vector<int> PackedRanks(const std::string& data) {
  std::vector<int> ranks;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : data) {
    const auto byte = static_cast<unsigned char>(c);
    if (shift < 63) value |= std::uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if (byte & 0x80) continue;
    ranks.push_back(static_cast<int>(std::min<std::uint64_t>(value, 1u << 24)));
    value = 0;
    shift = 0;
  }
  return ranks;
}

void TakeSnapshotEvent(const Event& event, LoadedProcess& loaded,
                       std::map<std::int64_t, std::size_t>& open) {
  std::vector<Snapshot>& snapshots = loaded.process.snapshots;
  if (event.kind() == EVENT_SNAPSHOT_BEGIN) {
    open[event.value()] = snapshots.size();
    Snapshot& snapshot = snapshots.emplace_back();
    snapshot.ns = loaded.Time(static_cast<std::int64_t>(std::min(event.time_ns(), kGreatestTime)));
    snapshot.reason = event.data();
    return;
  }
  const auto found = open.find(event.value());
  if (found == open.end()) return;  // its beginning was reused
  Snapshot& snapshot = snapshots[found->second];
  if (event.kind() == EVENT_SNAPSHOT_FILE) snapshot.files.push_back(event.data());
  if (event.kind() == EVENT_SNAPSHOT_THREAD) {
    snapshot.threads.push_back(
        {static_cast<int>(event.tid()), event.data(), StackOf(loaded, event.python_stack())});
  }
}

// The count of a site grows from event to event; their order in the file says nothing.
void TakeBackward(const Event& event, std::int64_t time, LoadedProcess& loaded) {
  std::uint64_t first = 0;
  if (event.data().size() >= sizeof first) std::memcpy(&first, event.data().data(), sizeof first);
  const int stack = StackOf(loaded, event.python_stack());
  std::vector<BackwardSite>& sites = loaded.process.backward;
  auto site = std::find_if(sites.begin(), sites.end(),
                           [&](const BackwardSite& of) { return of.python_stack == stack; });
  if (site == sites.end()) site = sites.insert(sites.end(), BackwardSite{stack, 0, 0, 0});
  if (event.value() <= site->passes) return;
  site->passes = event.value();
  site->first_ns = loaded.Time(static_cast<std::int64_t>(std::min(first, kGreatestTime)));
  site->last_ns = time;
}

}  // namespace

void TakeHeader(LoadedProcess& loaded) {
  const Header& header = loaded.trace.header;
  const RollcallState& state = loaded.trace.process_state;
  Process& process = loaded.process;
  process.path = loaded.trace.path;
  process.host = header.host();
  process.pid = static_cast<int>(header.pid());
  process.start_ticks = static_cast<std::int64_t>(std::min(header.start_ticks(), kGreatestTime));
  process.boot_id = header.boot_id();
  process.started_ns =
      loaded.Time(static_cast<std::int64_t>(std::min(header.monotonic_ns(), kGreatestTime)));
  process.lost_rows = static_cast<std::int64_t>(std::min(state.lost_rows, kGreatestTime));
  process.lost_definitions =
      static_cast<std::int64_t>(std::min(state.lost_definitions, kGreatestTime));
  process.lost_events = static_cast<std::int64_t>(std::min(state.lost_events, kGreatestTime));
  process.recording_error = static_cast<int>(state.error);
  process.last_sign_ns =
      std::max(process.started_ns,
               loaded.Time(static_cast<std::int64_t>(std::min(state.heartbeat_ns, kGreatestTime))));
}

void TakeProcessEvents(LoadedProcess& loaded) {
  Process& process = loaded.process;
  std::map<std::int64_t, std::size_t> open_snapshots;
  for (const Event& event : loaded.trace.events) {
    const std::int64_t time =
        loaded.Time(static_cast<std::int64_t>(std::min(event.time_ns(), kGreatestTime)));
    switch (event.kind()) {
      case EVENT_SNAPSHOT_BEGIN:
      case EVENT_SNAPSHOT_THREAD:
      case EVENT_SNAPSHOT_FILE:
        TakeSnapshotEvent(event, loaded, open_snapshots);
        break;
      case EVENT_COMMUNICATOR_GONE:
      case EVENT_MEMBERS: {
        const auto found = loaded.communicators.find(static_cast<std::uint32_t>(event.value()));
        if (found == loaded.communicators.end()) break;
        if (event.kind() == EVENT_MEMBERS) {
          loaded.members[found->second] = PackedRanks(event.data());
        } else {
          process.communicators[found->second].gone_ns = time;
        }
        break;
      }
      case EVENT_BACKWARD:
        TakeBackward(event, time, loaded);
        break;
      case EVENT_RECORDING:
        process.recording_note = event.data();
        break;
      case EVENT_EXCEPTION:
        process.end.exception_stack = StackOf(loaded, event.python_stack());
        break;
      default:
        break;
    }
    process.last_sign_ns = std::max(process.last_sign_ns, time);
  }
  for (Snapshot& snapshot : process.snapshots) {
    std::stable_partition(snapshot.threads.begin(), snapshot.threads.end(),
                          [&](const SnapshotThread& thread) { return thread.tid == process.pid; });
  }
}

void SetClockOffsets(std::vector<LoadedProcess>& loaded) {
  // The earliest header of a host speaks for it, whatever the order of the files.
  std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::int64_t>> hosts;
  for (const LoadedProcess& one : loaded) {
    const Header& header = one.trace.header;
    const std::uint64_t monotonic = std::min(header.monotonic_ns(), kGreatestTime);
    const std::uint64_t realtime = std::min(header.realtime_ns(), kGreatestTime);
    const std::pair<std::uint64_t, std::int64_t> candidate{
        monotonic, static_cast<std::int64_t>(realtime) - static_cast<std::int64_t>(monotonic)};
    const auto [found, is_new] = hosts.try_emplace({header.host(), header.boot_id()}, candidate);
    if (!is_new) found->second = std::min(found->second, candidate);
  }
  for (LoadedProcess& one : loaded) {
    one.clock_offset = hosts.at({one.trace.header.host(), one.trace.header.boot_id()}).second;
  }
}

}  // namespace rollcall::analyzer
