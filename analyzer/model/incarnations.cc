#include "analyzer/model/incarnations.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kAlwaysNs = std::numeric_limits<std::int64_t>::max();

struct Start {
  std::string run_id, master;
  int restart = 0;
  std::int64_t first_ns = kAlwaysNs;
  std::vector<LoadedProcess*> processes;
  bool aside = false;  // see Incarnation
};

std::string RunId(const Process& process) {
  const std::string& run_id = process.Setting("env.TORCHELASTIC_RUN_ID");
  return run_id == "none" ? "" : run_id;  // torchrun's default is no name
}

std::string Master(const Process& process) {
  const std::string& address = process.Setting("env.MASTER_ADDR");
  return address.empty() ? "" : absl::StrCat(address, ":", process.Setting("env.MASTER_PORT"));
}

int Restart(const Process& process) {
  int restart = 0;
  const bool known = absl::SimpleAtoi(process.Setting("env.TORCHELASTIC_RESTART_COUNT"), &restart);
  return known ? restart : 0;
}

std::int64_t EndOf(const Process& process) {
  return process.end.kind == EndKind::kAlive || process.end.kind == EndKind::kUnknown
             ? kAlwaysNs
             : std::max(process.end.ns, process.started_ns);
}

// Whether `process` can be of the start that `start` describes: its environment says no other one,
// and nobody of its rank had ended before it began.
bool Belongs(const Process& process, const Start& start) {
  if (RunId(process) != start.run_id || Restart(process) != start.restart) return false;
  const bool same_master = Master(process) == start.master;
  bool all_ended = true;
  for (const LoadedProcess* other : start.processes) {
    const bool ended = EndOf(other->process) < process.started_ns;
    all_ended = all_ended && ended;
    if (other->process.rank != process.rank || process.rank < 0) continue;
    if (ended || !same_master) return false;
  }
  return same_master || !all_ended;
}

// Launchers make a store and no group; they have no rank, and their environment names no run.
bool HasRank(const Process& process) {
  return process.rank >= 0;
}

bool Overlaps(const Process& process, const Start& start) {
  return std::any_of(start.processes.begin(), start.processes.end(),
                     [&](const LoadedProcess* other) {
                       return process.started_ns <= EndOf(other->process) &&
                              other->process.started_ns <= EndOf(process);
                     });
}

// Those whose start it was lived on with the other ranks: they are the job, and `later` is a part
// of it that was started again alone. Ends that lie close together are one end of the job.
bool WentOnWithout(const Start& start, const Start& later) {
  constexpr std::int64_t kTogetherNs = 2'000'000'000;
  std::int64_t first_end = kAlwaysNs;
  for (const LoadedProcess* one : later.processes)
    first_end = std::min(first_end, EndOf(one->process));
  return std::any_of(start.processes.begin(), start.processes.end(), [&](const LoadedProcess* one) {
    const bool again = std::any_of(
        later.processes.begin(), later.processes.end(),
        [&](const LoadedProcess* two) { return two->process.rank == one->process.rank; });
    const std::int64_t end = EndOf(one->process);
    return !again && end > later.first_ns && end >= first_end - kTogetherNs;
  });
}

// Who ended before it was in any group is replaced by the process that was started after it, if
// that one is in a group.
void Replace(Start& start, Start& later) {
  for (LoadedProcess*& one : later.processes) {
    for (LoadedProcess*& old : start.processes) {
      if (old->process.rank == one->process.rank && old->process.communicators.empty() &&
          !one->process.communicators.empty()) {
        std::swap(old, one);
        break;
      }
    }
  }
}

// One rank that is started again alone makes no new start of the job.
void SetAside(std::vector<Start>& starts) {
  for (std::size_t i = 1; i < starts.size(); ++i) {
    Start& later = starts[i];
    const auto of = std::find_if(
        starts.rend() - static_cast<std::ptrdiff_t>(i), starts.rend(), [&](const Start& start) {
          return !start.aside && start.run_id == later.run_id && start.restart == later.restart &&
                 start.master == later.master;
        });
    if (of == starts.rend() || !WentOnWithout(*of, later)) continue;
    Replace(*of, later);
    later.aside = true;
  }
  std::stable_partition(starts.begin(), starts.end(),
                        [](const Start& start) { return start.aside; });
}

void Add(LoadedProcess& loaded, Start& start) {
  start.processes.push_back(&loaded);
  start.first_ns = std::min(start.first_ns, loaded.process.started_ns);
}

}  // namespace

std::vector<Incarnation> SetIncarnations(std::vector<LoadedProcess>& loaded) {
  const auto age = [](const LoadedProcess* one) {
    const Process& process = one->process;
    return std::tie(process.started_ns, process.host, process.pid, process.path);
  };
  std::vector<LoadedProcess*> by_age;
  for (LoadedProcess& one : loaded)
    by_age.push_back(&one);
  std::sort(by_age.begin(), by_age.end(),
            [&](const LoadedProcess* a, const LoadedProcess* b) { return age(a) < age(b); });

  std::vector<Start> starts;
  for (LoadedProcess* one : by_age) {
    if (!HasRank(one->process)) continue;
    const auto found = std::find_if(starts.rbegin(), starts.rend(), [&](const Start& start) {
      return Belongs(one->process, start);
    });
    if (found != starts.rend()) {
      Add(*one, *found);
    } else {
      starts.push_back(
          {RunId(one->process), Master(one->process), Restart(one->process), kAlwaysNs, {}, false});
      Add(*one, starts.back());
    }
  }
  for (LoadedProcess* one : by_age) {
    if (HasRank(one->process)) continue;
    const auto found = std::find_if(starts.rbegin(), starts.rend(), [&](const Start& start) {
      return Overlaps(one->process, start);
    });
    if (found != starts.rend()) {
      Add(*one, *found);
    } else {
      starts.push_back({RunId(one->process), Master(one->process), 0, kAlwaysNs, {}, false});
      Add(*one, starts.back());
    }
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.first_ns < b.first_ns; });
  SetAside(starts);

  std::vector<Incarnation> incarnations;
  for (const Start& start : starts) {
    for (LoadedProcess* one : start.processes) {
      one->process.incarnation = static_cast<int>(incarnations.size());
    }
    Incarnation& made = incarnations.emplace_back();
    made.run_id = start.run_id.empty() ? start.master : start.run_id;
    made.restart = start.restart;
    made.aside = start.aside;
  }
  const auto order = [](const LoadedProcess& one) {
    const Process& process = one.process;
    return std::tuple(process.incarnation,
                      process.rank < 0 ? std::numeric_limits<int>::max() : process.rank,
                      process.host, process.pid, process.start_ticks, process.path);
  };
  std::sort(loaded.begin(), loaded.end(),
            [&](const LoadedProcess& a, const LoadedProcess& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    incarnations[loaded[i].process.incarnation].processes.push_back(static_cast<int>(i));
  }
  return incarnations;
}

}  // namespace rollcall::analyzer
