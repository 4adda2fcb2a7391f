// Cycles of the graph as circles of calls, and who of them is to be named.
#include <algorithm>
#include <set>

#include "analyzer/waits/build_waits.h"

namespace rollcall::analyzer {
namespace {

const Process& ProcessOf(const Job& job, const CallRef& ref) {
  return job.processes[static_cast<std::size_t>(ref.process)];
}

struct Place {
  int communicator = -1;
  std::int64_t position = -1;
  bool operator==(const Place&) const = default;
};

Place PlaceOf(const Job& job, const CallRef& ref) {
  const Process& process = ProcessOf(job, ref);
  const Call& call = process.calls[static_cast<std::size_t>(ref.call)];
  const int handle = process.shapes[call.shape].communicator;
  if (handle < 0 || call.position < 0) return {};
  return {process.communicators[static_cast<std::size_t>(handle)].communicator, call.position};
}

// All members that have something else to do before they reach the meeting.
std::set<int> Absent(const WaitBuilder::Meeting& meeting) {
  std::set<int> absent;
  for (const auto& [node, process] : meeting.targets)
    absent.insert(process);
  return absent;
}

// In the largest communicator involved, those who entered another call of the cycle first are named
// alone if they are a strict minority.
void NameMinority(const Job& job, const WaitBuilder& builder, Circle* circle) {
  std::vector<Place> places;
  for (const CallRef& ref : circle->calls) {
    const Place place = PlaceOf(job, ref);
    if (place.communicator >= 0 && std::count(places.begin(), places.end(), place) == 0)
      places.push_back(place);
  }
  int largest = 0;
  for (const Place& place : places)
    largest =
        std::max(largest, job.communicators[static_cast<std::size_t>(place.communicator)].size);
  std::set<int> few;
  for (const Place& place : places) {
    if (job.communicators[static_cast<std::size_t>(place.communicator)].size != largest) continue;
    if (circle->communicator < 0) {
      circle->communicator = place.communicator;
      circle->position = place.position;
    }
    const WaitBuilder::Meeting* meeting = builder.FindMeeting(place.communicator, place.position);
    if (meeting == nullptr) continue;
    const std::set<int> absent = Absent(*meeting);
    if (absent.empty() || 2 * static_cast<int>(absent.size()) >= largest) continue;
    if (!few.empty() && few.size() <= absent.size()) continue;
    few = absent;
    circle->communicator = place.communicator;
    circle->position = place.position;
  }
  if (few.empty()) return;
  circle->minority = true;
  circle->processes.assign(few.begin(), few.end());
}

}  // namespace

std::vector<Circle> FindCircles(const Job& job, const WaitGraph& graph,
                                const std::map<int, CallRef>& calls, const WaitBuilder& builder) {
  const auto order = [&](const CallRef& a, const CallRef& b) {
    return std::pair(ProcessOf(job, a).rank, a.call) < std::pair(ProcessOf(job, b).rank, b.call);
  };
  std::vector<Circle> circles;
  for (WaitCycle& cycle : FindWaitCycles(graph)) {
    Circle& circle = circles.emplace_back();
    circle.nodes = std::move(cycle.nodes);
    for (const int node : cycle.smallest)
      circle.calls.push_back(calls.at(node));
    std::sort(circle.calls.begin(), circle.calls.end(), order);
    for (const CallRef& ref : circle.calls) {
      if (std::count(circle.processes.begin(), circle.processes.end(), ref.process) == 0)
        circle.processes.push_back(ref.process);
    }
    NameMinority(job, builder, &circle);
  }
  // Of one process alone it is no circle but damage: its calls are in the order of its own program.
  std::erase_if(circles, [](const Circle& circle) {
    return circle.calls.empty() ||
           std::all_of(circle.calls.begin(), circle.calls.end(), [&](const CallRef& ref) {
             return ref.process == circle.calls.front().process;
           });
  });
  std::sort(circles.begin(), circles.end(), [&](const Circle& a, const Circle& b) {
    return order(a.calls.front(), b.calls.front());
  });
  return circles;
}

}  // namespace rollcall::analyzer
