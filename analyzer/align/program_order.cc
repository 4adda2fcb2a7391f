#include "analyzer/align/program_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analyzer/align/sequences.h"

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

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
    // A group is made by all; who sends and receives is a matter of the pair.
    if (shape.operation == OPERATION_INIT) return place == kNoSite || places_.count(place) != 0;
    if (shape.communicator < 0) return true;
    if (shape.operation == OPERATION_SEND || shape.operation == OPERATION_RECV)
      return HasPartner(call, shape);
    if (call.position < 0) return true;
    const Participant* there = In(shape.communicator);
    return there == nullptr || call.position < EndPosition(job_, *there);
  }

 private:
  // Null = it is no member.
  const Participant* In(int handle) {
    const auto [found, is_new] = there_.try_emplace(handle, nullptr);
    if (!is_new) return found->second;
    const int communicator = of_.communicators[static_cast<std::size_t>(handle)].communicator;
    for (const Participant& member :
         job_.communicators[static_cast<std::size_t>(communicator)].members) {
      if (member.process == other_.process) return found->second = &member;
    }
    return nullptr;
  }

  // Of the sends and receives between both, so many as this one were made on the other side.
  bool HasPartner(const Call& call, const Shape& shape) {
    const Participant* there = In(shape.communicator);
    if (there == nullptr || call.peer != there->rank || call.peer < 0) return true;
    const bool sends = shape.operation == OPERATION_SEND;
    const auto [found, is_new] = partners_.try_emplace({shape.communicator, sends}, 0);
    if (is_new) {
      const int rank = of_.communicators[static_cast<std::size_t>(shape.communicator)].rank;
      found->second = Count(ProcessOf(job_, other_), there->handle, !sends, rank, kNever);
    }
    return Count(of_, shape.communicator, sends, call.peer, call.row) < found->second;
  }

  static std::int64_t Count(const Process& process, int handle, bool sends, int peer,
                            std::int64_t before) {
    return std::count_if(process.calls.begin(), process.calls.end(), [&](const Call& call) {
      const Shape& shape = process.shapes[call.shape];
      return call.row < before && shape.communicator == handle && call.peer == peer &&
             shape.operation == (sends ? OPERATION_SEND : OPERATION_RECV);
    });
  }

  const Job& job_;
  const Process& of_;
  const Participant& other_;
  std::map<int, const Participant*> there_;
  std::map<std::pair<int, bool>, std::int64_t> partners_;
  std::set<int> places_;
};

}  // namespace

bool StopAlike(const Job& job, const Participant& a, const Participant& b, const SiteTable& sites) {
  const Call &last_a = ProcessOf(job, a).calls.back(), &last_b = ProcessOf(job, b).calls.back();
  const int place = PlaceOf(sites, a.process, last_a.shape);
  return place != kNoSite && place == PlaceOf(sites, b.process, last_b.shape) &&
         CallsFrom(job, sites, a, place) == CallsFrom(job, sites, b, place);
}

std::int64_t AheadFrom(const Job& job, const Participant& member, const Participant& other,
                       std::int64_t position, const SiteTable& sites) {
  const Process& process = ProcessOf(job, member);
  const Call* begin = CallAt(job, member, position);
  // Where rows were lost, calls cannot be counted.
  if (begin == nullptr || member.first_position != 0 || other.first_position != 0) return kNever;
  const int thread = process.shapes[begin->shape].thread;
  Reached reached(job, member, other, sites);
  std::int64_t ahead_from = position;
  for (const Call* call = begin; call != process.calls.data() + process.calls.size(); ++call) {
    const Shape& shape = process.shapes[call->shape];
    if (shape.communicator == member.handle && call->position >= 0) {
      ahead_from = call->position + 1;
    } else if (shape.thread == thread &&
               !reached.Has(*call, PlaceOf(sites, member.process, call->shape))) {
      return ahead_from;
    }
  }
  return kNever;
}

}  // namespace rollcall::analyzer
