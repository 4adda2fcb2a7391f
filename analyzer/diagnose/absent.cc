#include "analyzer/diagnose/absent.h"

#include <algorithm>

#include "analyzer/match/leaving.h"

namespace rollcall::analyzer {
namespace {

enum class Fate { kKilled, kLeft, kAborted, kAlive, kReacted, kWaiting };

Fate FateOf(const Examination& exam, int communicator, const Participant& member) {
  const Ending& ending = exam.ending(member.process);
  const Leave leave = LeaveOf(exam.process(member.process), member.handle);
  if (leave.kind == LeaveKind::kAborted && ending.part != Part::kReaction) return Fate::kAborted;
  if (ending.part == Part::kKilled) return Fate::kKilled;
  if (ending.own()) return Fate::kLeft;
  // A process that left the group does not come back, whatever it does now.
  if (leave.left() && ending.part != Part::kReaction) return Fate::kLeft;
  if (exam.waits.Waiting(member.process, communicator)) return Fate::kWaiting;
  const bool reacted = ending.part == Part::kReaction || leave.kind == LeaveKind::kGaveUp;
  return reacted ? Fate::kReacted : Fate::kAlive;
}

std::vector<int> WithFate(const Examination& exam, const Absence& absence, Fate fate) {
  std::vector<int> members;
  const std::vector<Participant>& all = exam.communicator(absence.communicator).members;
  std::copy_if(
      absence.absent.begin(), absence.absent.end(), std::back_inserter(members), [&](int m) {
        return FateOf(exam, absence.communicator, all[static_cast<std::size_t>(m)]) == fate;
      });
  return members;
}

}  // namespace

std::vector<int> AbsentKilled(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kKilled);
}
std::vector<int> AbsentLeft(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kLeft);
}
std::vector<int> AbsentAborted(const Examination& exam, const Absence& absence) {
  return WithFate(exam, absence, Fate::kAborted);
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
