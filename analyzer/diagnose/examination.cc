#include "analyzer/diagnose/examination.h"

#include <algorithm>

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// In order of judgement, and independent of the order of files: by what the communicator is.
std::vector<int> InOrder(const Job& job, int incarnation) {
  std::vector<int> order;
  for (std::size_t c = 0; c < job.communicators.size(); ++c) {
    if (job.communicators[c].incarnation == incarnation) order.push_back(static_cast<int>(c));
  }
  const auto key = [&](int index) {
    const Communicator& of = job.communicators[static_cast<std::size_t>(index)];
    return std::tuple((of.flags & FLAG_INTERNAL) != 0, !of.is_world, of.name, of.digest,
                      of.occurrence);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

}  // namespace

Examination::Examination(const Job& of, const std::string& user_code)
    : job(of),
      incarnation(static_cast<int>(of.incarnations.size()) - 1),
      sites(of, user_code),
      classes(of, sites),
      endings(JudgeEndings(of)),
      communicators(InOrder(of, incarnation)),
      starts(FindStarts(of, incarnation)),
      pairs(of, incarnation),
      waits(of, incarnation, endings, starts, pairs) {
  for (const int index : communicators) {
    alignments.push_back(Align(job, index, classes, sites));
    absences.push_back(FindAbsence(job, index, endings));
  }
}

int Examination::RankOf(const Participant& member) const {
  if (member.global_rank >= 0) return member.global_rank;
  if (member.process >= 0 && process(member.process).rank >= 0) return process(member.process).rank;
  return member.rank;
}

std::int64_t Examination::PatienceNs() const {
  // Of a job that is over, the last wait is known to have been the last; a second is more than
  // being on the way.
  const bool over = std::none_of(processes().begin(), processes().end(), [&](int p) {
    return process(p).end.kind == EndKind::kAlive || process(p).end.kind == EndKind::kUnknown;
  });
  if (over) return kSecond;
  return std::min<std::int64_t>(5, std::max(1, job.hang_seconds)) * kSecond;
}

bool Examination::Definite(const Absence& absence) const {
  if (absence.gave_up || absence.waited_ns >= PatienceNs()) return true;
  const std::vector<Participant>& members = communicator(absence.communicator).members;
  return std::any_of(absence.absent.begin(), absence.absent.end(), [&](int m) {
    return ending(members[static_cast<std::size_t>(m)].process).own();
  });
}

bool Examination::Definite(const Start& start) const {
  if (!start.waiting) return false;
  if (start.gave_up || start.waited_ns >= PatienceNs()) return true;
  return std::all_of(start.calls.begin(), start.calls.end(), [&](const StartCall& of) {
    return process(of.process).end.kind != EndKind::kAlive;
  });
}

bool Examination::StuckForGood(int index) const {
  const Call* call = ending(index).own() ? nullptr : StuckIn(process(index));
  if (call == nullptr) return false;
  return call->state == CallState::kFailed || ending(index).part == Part::kReaction ||
         NsInCall(job, index, *call) >= PatienceNs();
}

}  // namespace rollcall::analyzer
