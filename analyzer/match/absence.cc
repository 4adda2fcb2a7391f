#include "analyzer/match/absence.h"

#include <algorithm>
#include <limits>

#include "analyzer/align/align.h"

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Position of the member's first call that it did not get out of; kNever if there is none.
std::int64_t FirstUnfinished(const Job& job, const Participant& member) {
  const Process& process = job.processes[static_cast<std::size_t>(member.process)];
  for (const std::int64_t index : member.calls) {
    const Call& call = process.calls[static_cast<std::size_t>(index)];
    if (IsUnfinished(process, call)) return call.position;
  }
  return kNever;
}

// Position of the call by which the member ends its part, if it is its last one; kNever if there is
// none.
std::int64_t Finalizes(const Job& job, const Participant& member) {
  if (member.calls.empty()) return kNever;
  const Process& process = job.processes[static_cast<std::size_t>(member.process)];
  const Call& last = process.calls[static_cast<std::size_t>(member.calls.back())];
  return process.shapes[last.shape].operation == OPERATION_FINALIZE ? last.position : kNever;
}

struct Progress {
  int member = 0;
  bool own_end = false;
  std::int64_t end = 0;         // behind its last call
  std::int64_t unfinished = 0;  // its first unfinished call, or kNever
  std::int64_t next = 0;        // from here on it takes no part
};

// A process that ended inside a call did its part in it, if the others got out; else the call is
// where it is missed.
std::int64_t NextOf(const Progress& progress, std::int64_t stuck) {
  if (!progress.own_end || progress.unfinished == kNever) return progress.end;
  return std::clamp(stuck, progress.unfinished, progress.end);
}

// Who finalizes where another member makes another call has ended its part before that call.
void EndFinalized(const Job& job, const Communicator& communicator, std::vector<Progress>* seen) {
  std::int64_t others = 0;  // behind the last call that is no finalize
  for (const Progress& progress : *seen) {
    const Participant& member = communicator.members[static_cast<std::size_t>(progress.member)];
    others = std::max(others, std::min(progress.end, Finalizes(job, member)));
  }
  for (Progress& progress : *seen) {
    const Participant& member = communicator.members[static_cast<std::size_t>(progress.member)];
    const std::int64_t finalizes = Finalizes(job, member);
    if (finalizes >= others) continue;
    progress.end = finalizes;
    if (progress.unfinished == finalizes) progress.unfinished = kNever;
  }
}

}  // namespace

std::int64_t NsInCall(const Job& job, int process, const Call& call) {
  const Process& of = job.processes[static_cast<std::size_t>(process)];
  const std::int64_t until = call.completed_ns != 0 ? call.completed_ns
                             : of.last_sign_ns != 0 ? of.last_sign_ns
                                                    : job.now_ns;
  return std::max<std::int64_t>(0, until - call.entered_ns);
}

std::optional<Absence> FindAbsence(const Job& job, int communicator,
                                   const std::vector<Ending>& endings) {
  const Communicator& of = job.communicators[static_cast<std::size_t>(communicator)];
  Absence absence;
  absence.communicator = communicator;
  std::vector<Progress> seen;
  for (std::size_t m = 0; m < of.members.size(); ++m) {
    const Participant& member = of.members[m];
    if (member.process < 0 || endings[static_cast<std::size_t>(member.process)].breaks_off) {
      absence.unseen.push_back(static_cast<int>(m));
      continue;
    }
    Progress progress;
    progress.member = static_cast<int>(m);
    progress.own_end = endings[static_cast<std::size_t>(member.process)].own();
    progress.end = EndPosition(job, member);
    while (of.Excludes(member.rank, progress.end))
      ++progress.end;
    progress.unfinished = FirstUnfinished(job, member);
    seen.push_back(progress);
  }
  if (seen.empty()) return std::nullopt;
  EndFinalized(job, of, &seen);

  // The earliest position in which a member that did not end by itself is stuck.
  std::int64_t stuck = kNever;
  for (const Progress& progress : seen) {
    if (!progress.own_end) stuck = std::min(stuck, progress.unfinished);
  }
  // The earliest that somebody never reached, or ended in. Who is itself stuck is no reason.
  std::int64_t missed = kNever;
  for (Progress& progress : seen) {
    progress.next = NextOf(progress, stuck);
    if (progress.own_end || progress.unfinished == kNever) missed = std::min(missed, progress.next);
  }
  const std::int64_t position = std::min(stuck, missed);
  if (position == kNever) return std::nullopt;
  for (const Progress& progress : seen)
    (progress.next > position ? absence.present : absence.absent).push_back(progress.member);
  if (absence.present.empty()) return std::nullopt;

  for (const Progress& progress : seen) {
    if (progress.next <= position || progress.unfinished == kNever) continue;
    const Participant& member = of.members[static_cast<std::size_t>(progress.member)];
    const Call& call = *CallAt(job, member, progress.unfinished);
    absence.waiting = true;
    absence.waited_ns = std::max(absence.waited_ns, NsInCall(job, member.process, call));
    const Ending& ending = endings[static_cast<std::size_t>(member.process)];
    if (call.state == CallState::kFailed || ending.part == Part::kReaction) absence.gave_up = true;
  }
  if (!absence.waiting) {
    // A call that needed nobody's answer, or ranks at different speed: only an end makes it a
    // finding.
    std::erase_if(absence.absent, [&](int m) {
      return !endings[static_cast<std::size_t>(of.members[static_cast<std::size_t>(m)].process)]
                  .own();
    });
    if (absence.absent.empty()) return std::nullopt;
  }
  absence.position = position;
  return absence;
}

}  // namespace rollcall::analyzer
