#include "analyzer/diagnose/lateness.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLeastNs = 5 * kSecond;
constexpr int kTimesMedian = 20;
constexpr std::int64_t kEarlierCalls = 64;  // looked at for what a process was busy with

std::int64_t HangNs(const Examination& exam) {
  return std::max(1, exam.job.hang_seconds) * kSecond;
}

const Call& CallOf(const Examination& exam, const Participant& member, std::size_t index) {
  return exam.process(member.process).calls[static_cast<std::size_t>(member.calls[index])];
}

// How long the member's call waited for peers, at most: what was queued before it on the
// communicator is not waiting. Negative = it is not known.
std::int64_t WaitOf(const Examination& exam, const Participant& member, std::size_t index) {
  const Call& call = CallOf(exam, member, index);
  if (call.state != CallState::kCompleted) return -1;
  std::int64_t begin = call.entered_ns;
  if (index > 0) begin = std::max(begin, CallOf(exam, member, index - 1).completed_ns);
  return std::max<std::int64_t>(0, call.completed_ns - begin);
}

std::int64_t WaitAt(const Examination& exam, const Participant& member, std::int64_t position) {
  const Call* call = CallAt(exam.job, member, position);
  if (call == nullptr) return -1;
  const auto index = static_cast<std::size_t>(position - member.first_position);
  return index < member.calls.size() && &CallOf(exam, member, index) == call
             ? WaitOf(exam, member, index)
             : -1;
}

std::optional<Lateness> LateAt(const Examination& exam, int communicator, std::int64_t position) {
  const std::vector<Participant>& members = exam.communicator(communicator).members;
  Lateness lateness;
  lateness.communicator = communicator;
  lateness.position = position;
  std::vector<std::int64_t> waits;
  for (const Participant& member : members) {
    const Call* call = member.process < 0 ? nullptr : CallAt(exam.job, member, position);
    if (call == nullptr) return std::nullopt;
    waits.push_back(WaitAt(exam, member, position));
    if (waits.back() < 0) return std::nullopt;
    lateness.waited_ns = std::max(lateness.waited_ns, waits.back());
  }
  int site = kNoSite;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Call& call = *CallAt(exam.job, members[m], position);
    if (2 * waits[m] >= lateness.waited_ns) {
      lateness.waiting.push_back(static_cast<int>(m));
      site = exam.sites.OfCall(members[m].process, call);
      continue;
    }
    // Who waited for others itself meanwhile is no cause.
    const std::int64_t busy = BusyBefore(exam, members[m].process, call);
    if (2 * busy < lateness.waited_ns) continue;
    lateness.late.push_back(static_cast<int>(m));
    lateness.busy_ns = std::max(lateness.busy_ns, busy);
  }
  if (lateness.late.empty() || lateness.waited_ns < LateAfterNs(exam, communicator, site))
    return std::nullopt;
  return lateness;
}

}  // namespace

std::int64_t BusyBefore(const Examination& exam, int process, const Call& call) {
  const std::vector<Call>& calls = exam.process(process).calls;
  std::int64_t last = exam.process(process).started_ns;
  for (std::int64_t at = &call - calls.data() - 1, left = kEarlierCalls; at >= 0 && left > 0;
       --at, --left) {
    const Call& earlier = calls[static_cast<std::size_t>(at)];
    last = std::max({last, earlier.entered_ns, earlier.completed_ns});
  }
  return call.entered_ns - last;
}

std::int64_t LateAfterNs(const Examination& exam, int communicator, int site) {
  // Of each round the longest wait: who is always slow never waits.
  std::map<std::int64_t, std::int64_t> longest;
  for (const Participant& member : exam.communicator(communicator).members) {
    if (member.process < 0) continue;
    for (std::size_t i = 0; i < member.calls.size(); ++i) {
      const Call& call = CallOf(exam, member, i);
      const std::int64_t wait = WaitOf(exam, member, i);
      if (wait < 0 || exam.sites.OfCall(member.process, call) != site) continue;
      std::int64_t& of = longest[call.position];
      of = std::max(of, wait);
    }
  }
  if (longest.empty()) return HangNs(exam);
  std::vector<std::int64_t> waits;
  for (const auto& [position, wait] : longest)
    waits.push_back(wait);
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::nth_element(waits.begin(), middle, waits.end());
  return std::min(HangNs(exam), std::max(kTimesMedian * *middle, kLeastNs));
}

std::vector<Lateness> FindLateness(const Examination& exam) {
  const std::int64_t least = std::min(HangNs(exam), kLeastNs);
  std::map<std::tuple<int, std::vector<int>, int>, Lateness> by_place;
  for (const int communicator : exam.communicators) {
    std::set<std::int64_t> positions;
    for (const Participant& member : exam.communicator(communicator).members) {
      if (member.process < 0) continue;
      for (std::size_t i = 0; i < member.calls.size(); ++i) {
        const Call& call = CallOf(exam, member, i);
        if (call.completed_ns - call.entered_ns >= least && WaitOf(exam, member, i) >= least)
          positions.insert(call.position);
      }
    }
    for (const std::int64_t position : positions) {
      std::optional<Lateness> lateness = LateAt(exam, communicator, position);
      if (!lateness.has_value()) continue;
      const Participant& waiter = exam.communicator(communicator)
                                      .members[static_cast<std::size_t>(lateness->waiting.front())];
      const int site = exam.sites.OfCall(waiter.process, *CallAt(exam.job, waiter, position));
      const auto [found, is_new] =
          by_place.try_emplace({communicator, lateness->late, site}, *lateness);
      if (is_new) continue;
      const int times = found->second.times + 1;
      if (lateness->waited_ns > found->second.waited_ns) found->second = *std::move(lateness);
      found->second.times = times;
    }
  }
  std::vector<Lateness> all;
  for (auto& [place, lateness] : by_place)
    all.push_back(std::move(lateness));
  std::stable_sort(all.begin(), all.end(),
                   [](const Lateness& a, const Lateness& b) { return a.waited_ns > b.waited_ns; });
  return all;
}

}  // namespace rollcall::analyzer
