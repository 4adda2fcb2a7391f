#include "analyzer/align/program_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/align/sequences.h"

namespace rollcall::analyzer {
namespace {

const Process& ProcessOf(const Job& job, const Participant& member) {
  return job.processes[static_cast<std::size_t>(member.process)];
}

int PlaceOf(const SiteTable& sites, int process, std::uint32_t shape) {
  const int site = sites.OfShape(process, shape);
  return site == kNoSite ? kNoSite : sites.PlaceOf(site);
}

std::int64_t CallsFrom(const Job& job, const SiteTable& sites, const Participant& member,
                       int place) {
  const std::vector<Call>& calls = ProcessOf(job, member).calls;
  return std::count_if(calls.begin(), calls.end(), [&](const Call& call) {
    return PlaceOf(sites, member.process, call.shape) == place;
  });
}

// What the other one has come to: ends on the communicators of both, and places in the code.
class Reached {
 public:
  Reached(const Job& job, const Participant& member, const Participant& other,
          const SiteTable& sites)
      : job_(job), of_(ProcessOf(job, member)), other_(other) {
    for (std::uint32_t shape = 0; shape < ProcessOf(job, other).shapes.size(); ++shape)
      places_.insert(PlaceOf(sites, other.process, shape));
  }

  bool Has(const Call& call, int place) {
    const Shape& shape = of_.shapes[call.shape];
    const int handle = shape.communicator;
    // What a rank has to do with sends and receives is its own affair; a group is made by all.
    if (shape.operation == OPERATION_INIT) return place == kNoSite || places_.count(place) != 0;
    if (handle < 0 || call.position < 0) return true;
    const auto [found, is_new] = ends_.try_emplace(handle, -1);
    if (is_new) found->second = EndOf(handle);
    return found->second < 0 || call.position < found->second;
  }

 private:
  // -1 = it is no member.
  std::int64_t EndOf(int handle) const {
    const int communicator = of_.communicators[static_cast<std::size_t>(handle)].communicator;
    for (const Participant& member :
         job_.communicators[static_cast<std::size_t>(communicator)].members) {
      if (member.process == other_.process) return EndPosition(job_, member);
    }
    return -1;
  }

  const Job& job_;
  const Process& of_;
  const Participant& other_;
  std::map<int, std::int64_t> ends_;
  std::set<int> places_;
};

}  // namespace

bool StopAlike(const Job& job, const Participant& a, const Participant& b, const SiteTable& sites) {
  const Call &last_a = ProcessOf(job, a).calls.back(), &last_b = ProcessOf(job, b).calls.back();
  const int place = PlaceOf(sites, a.process, last_a.shape);
  return place != kNoSite && place == PlaceOf(sites, b.process, last_b.shape) &&
         CallsFrom(job, sites, a, place) == CallsFrom(job, sites, b, place);
}

void CutWhatIsAhead(const Job& job, const Participant& member, const Participant& other,
                    const SiteTable& sites, CallSequence* calls) {
  const Process& process = ProcessOf(job, member);
  const Call* begin = CallAt(job, member, calls->begin);
  if (begin == nullptr) return;
  const int thread = process.shapes[begin->shape].thread;
  Reached reached(job, member, other, sites);
  std::size_t kept = 0;
  for (const Call* call = begin; call != process.calls.data() + process.calls.size(); ++call) {
    const Shape& shape = process.shapes[call->shape];
    if (shape.communicator == member.handle && call->position >= 0) {
      kept = static_cast<std::size_t>(call->position - calls->begin) + 1;
      if (kept >= calls->classes.size()) {
        if (!calls->ends) return;
      }
      continue;
    }
    if (shape.thread != thread || shape.operation == OPERATION_SYNC ||
        reached.Has(*call, PlaceOf(sites, member.process, call->shape)))
      continue;
    if (kept < calls->classes.size()) {
      calls->classes.resize(kept);
      calls->places.resize(kept);
    }
    calls->ends = true;
    calls->blocked = false;
    return;
  }
}

}  // namespace rollcall::analyzer
