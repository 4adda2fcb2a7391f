#include "analyzer/diagnose/absent.h"

#include <algorithm>

namespace rollcall::analyzer {
namespace {

enum class Fate { kKilled, kLeft, kAlive, kReacted, kWaiting };

Fate FateOf(const Examination& exam, const Participant& member) {
  const Ending& ending = exam.ending(member.process);
  if (ending.part == Part::kKilled) return Fate::kKilled;
  if (ending.own()) return Fate::kLeft;
  // A process that destroyed the group has left it, whatever it does now.
  const CommunicatorHandle* handle =
      member.handle < 0
          ? nullptr
          : &exam.process(member.process).communicators[static_cast<std::size_t>(member.handle)];
  const bool waits = exam.waits.Waiting(member.process);
  if (handle != nullptr && handle->gone_ns != 0 && !waits && ending.part != Part::kReaction)
    return Fate::kLeft;
  if (waits) return Fate::kWaiting;
  return ending.part == Part::kReaction ? Fate::kReacted : Fate::kAlive;
}

std::vector<int> WithFate(const Examination& exam, const Absence& absence, Fate fate) {
  std::vector<int> members;
  const std::vector<Participant>& all = exam.communicator(absence.communicator).members;
  std::copy_if(absence.absent.begin(), absence.absent.end(), std::back_inserter(members),
               [&](int m) { return FateOf(exam, all[static_cast<std::size_t>(m)]) == fate; });
  return members;
}

}  // namespace

std::vector<int> AbsentKilled(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kKilled);
}
std::vector<int> AbsentLeft(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kLeft);
}
std::vector<int> AbsentAlive(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kAlive);
}
std::vector<int> AbsentReacted(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kReacted);
}
std::vector<int> AbsentWaiting(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kWaiting);
}

}  // namespace rollcall::analyzer
