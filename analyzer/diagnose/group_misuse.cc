// group_misuse: a group of calls that is not closed, or closed without being opened; a group that
// failed; a communicator that is used after it was destroyed; two threads on one communicator.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

struct Misuse {
  int process = 0;
  const Call* call = nullptr;
  std::string words;  // "used ... after it was destroyed"
};

std::string NameOf(const Examination& exam, const CommunicatorHandle& handle) {
  return handle.communicator < 0 ? handle.name : exam.communicator(handle.communicator).name;
}

bool GivesUp(Operation operation) {
  return operation == OPERATION_DESTROY || operation == OPERATION_ABORT;
}

// Nobody is in the end of the group of an unlaunched call: the thread that made it opened more
// groups than it closed, or went on to other calls.
bool NeverClosed(const Examination& exam, int p, const Call& call) {
  const Process& process = exam.process(p);
  const HostsOfProcess& of = exam.waits.Hosts(p);
  const auto host_of = [&](const Call& made) { return of.of_shape[made.shape]; };
  const Host& host = of.hosts[static_cast<std::size_t>(host_of(call))];
  if (std::any_of(process.calls.rbegin(), process.calls.rend(), [&](const Call& later) {
        return later.row > call.row && host_of(later) == host_of(call) &&
               later.state == CallState::kPending &&
               process.shapes[later.shape].operation == OPERATION_GROUP_END;
      }))
    return false;
  if (host.open_groups > 0) return true;
  return std::any_of(process.calls.rbegin(), process.calls.rend(), [&](const Call& later) {
    return later.row > call.row && host_of(later) == host_of(call) && later.group != call.group;
  });
}

// A call behind the one that gave the communicator up.
std::optional<Misuse> UseAfterDestroy(const Examination& exam, int p, int handle) {
  const Process& process = exam.process(p);
  if (std::none_of(process.shapes.begin(), process.shapes.end(), [&](const Shape& shape) {
        return shape.communicator == handle && GivesUp(shape.operation);
      }))
    return std::nullopt;
  const Call* gone = nullptr;
  for (const Call& call : process.calls) {
    const Shape& shape = process.shapes[call.shape];
    if (shape.communicator != handle || (shape.flags & FLAG_INTERNAL) != 0) continue;
    if (gone != nullptr) {
      return Misuse{
          p, &call,
          absl::StrCat("used communicator ",
                       NameOf(exam, process.communicators[static_cast<std::size_t>(handle)]),
                       " after its ", CallName(exam, p, *gone), " at ",
                       SiteLine(exam, exam.sites.OfCall(p, *gone)), ": called ",
                       CallName(exam, p, call))};
    }
    if (GivesUp(shape.operation) && call.state == CallState::kCompleted) gone = &call;
  }
  return std::nullopt;
}

// The start of the group that the call is in, where it is recorded; else the call.
const Call& StartOfGroup(const Process& process, const Call& call) {
  int depth = 0;
  for (auto at = process.calls.begin() + (&call - process.calls.data());
       at != process.calls.begin();) {
    --at;
    const Operation operation = process.shapes[at->shape].operation;
    if (operation == OPERATION_GROUP_END) ++depth;
    if (operation == OPERATION_GROUP_START && --depth < 0) return *at;
  }
  return call;
}

// A group whose calls were never launched, or that was discarded because one of them failed.
std::optional<Misuse> BrokenGroup(const Examination& exam, int p, int handle) {
  const Process& process = exam.process(p);
  for (const Call& call : process.calls) {
    const Shape& shape = process.shapes[call.shape];
    if (call.group == 0 || shape.communicator != handle || !IsKernel(process, shape)) continue;
    if (call.state == CallState::kDiscarded)
      return Misuse{p, &call,
                    absl::StrCat("made ", CallName(exam, p, call),
                                 " in a group that failed: the group was discarded")};
    if (call.state == CallState::kPending && call.started_ns == 0 && NeverClosed(exam, p, call))
      return Misuse{
          p, &StartOfGroup(process, call),
          absl::StrCat("opened a group that it never closed, so that its ", CallName(exam, p, call),
                       " at ", SiteLine(exam, exam.sites.OfCall(p, call)),
                       " was never launched: the group begins")};
  }
  return std::nullopt;
}

// The end of a group that is none, as the last thing that it did.
std::optional<Misuse> EndWithoutStart(const Examination& exam, int p) {
  const Process& process = exam.process(p);
  if (process.calls.empty()) return std::nullopt;
  const Call& last = process.calls.back();
  if (process.shapes[last.shape].operation != OPERATION_GROUP_END ||
      last.state != CallState::kFailed)
    return std::nullopt;
  return Misuse{p, &last, "closed a group that failed, or that it had not opened"};
}

Finding Of(const Examination& exam, const std::vector<Misuse>& misuses, const char* severity) {
  Finding finding = NewFinding("group_misuse", severity);
  std::vector<int> ranks;
  for (const Misuse& of : misuses)
    ranks.push_back(exam.process(of.process).rank);
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  for (const Misuse& of : misuses)
    AddCallAndSite(exam, of.process, *of.call, &finding);
  const auto sentence = [&](const Misuse& of) {
    return absl::StrCat("rank ", exam.process(of.process).rank, " ", of.words, " at ",
                        SiteWords(exam, exam.sites.OfCall(of.process, *of.call)));
  };
  finding.set_message(sentence(misuses.front()));
  for (const Misuse& of : misuses) {
    if (finding.why_size() < 16) finding.add_why(sentence(of));
  }
  finding.set_advice(
      "Close every group on every path, exceptions included; make no call on a communicator behind "
      "its destroy or abort.");
  return finding;
}

// The last thing that a process did was to use a communicator that it had given up: it comes to
// nothing else.
std::optional<Misuse> EndedInMisuse(const Examination& exam, int p) {
  const Process& process = exam.process(p);
  for (std::size_t handle = 0; handle < process.communicators.size(); ++handle) {
    std::optional<Misuse> misuse = UseAfterDestroy(exam, p, static_cast<int>(handle));
    if (misuse.has_value() && misuse->call == &process.calls.back()) return misuse;
  }
  return std::nullopt;
}

// On a communicator, up to a position at which its members part.
std::vector<Misuse> MisusesOn(const Examination& exam, int communicator, std::int64_t position) {
  std::vector<Misuse> misuses;
  for (const Participant& member : exam.communicator(communicator).members) {
    if (member.process < 0 || member.handle < 0) continue;
    std::optional<Misuse> misuse = UseAfterDestroy(exam, member.process, member.handle);
    if (!misuse.has_value()) misuse = BrokenGroup(exam, member.process, member.handle);
    if (!misuse.has_value() && EndPosition(exam.job, member) <= position)
      misuse = EndWithoutStart(exam, member.process);
    if (misuse.has_value()) misuses.push_back(*std::move(misuse));
  }
  return misuses;
}

}  // namespace

std::optional<Finding> GroupMisuse(const Examination& exam, const Absence& absence) {
  std::vector<Misuse> misuses = MisusesOn(exam, absence.communicator, absence.position);
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  for (const int m : absence.absent) {
    const int p = members[static_cast<std::size_t>(m)].process;
    const bool told = std::any_of(misuses.begin(), misuses.end(),
                                  [&](const Misuse& of) { return of.process == p; });
    std::optional<Misuse> misuse = told ? std::nullopt : EndedInMisuse(exam, p);
    if (misuse.has_value()) misuses.push_back(*std::move(misuse));
  }
  if (misuses.empty()) return std::nullopt;
  Finding finding = Of(exam, misuses, "error");
  finding.set_communicator(exam.communicator(absence.communicator).name);
  finding.set_position(absence.position);
  AddWaitingEvidence(exam, absence, &finding);
  return finding;
}

std::optional<Finding> MisuseBeforeDivergence(const Examination& exam,
                                              const Divergence& divergence) {
  const std::vector<Misuse> misuses = MisusesOn(exam, divergence.communicator, divergence.position);
  if (misuses.empty() || divergence.all_completed) return RaceOfThreads(exam, divergence);
  Finding finding = Of(exam, misuses, "error");
  finding.set_communicator(exam.communicator(divergence.communicator).name);
  finding.set_position(divergence.position);
  AddLastCommonCall(exam, divergence.communicator, divergence.position, &finding);
  return finding;
}

std::optional<Finding> MisuseQuietly(const Examination& exam) {
  std::vector<Misuse> misuses;
  for (const int p : exam.processes()) {
    const Process& process = exam.process(p);
    for (std::size_t handle = 0; handle < process.communicators.size(); ++handle) {
      std::optional<Misuse> misuse = UseAfterDestroy(exam, p, static_cast<int>(handle));
      if (!misuse.has_value()) continue;
      misuses.push_back(*std::move(misuse));
      break;
    }
  }
  if (!misuses.empty()) return Of(exam, misuses, "error");
  for (const int p : exam.processes()) {
    if (std::optional<Misuse> misuse = EndWithoutStart(exam, p))
      misuses.push_back(*std::move(misuse));
  }
  if (misuses.empty()) return std::nullopt;
  return Of(exam, misuses, "warning");
}

// The same calls in another order, and on some ranks two threads made them: their order is that of
// a race. Whoever made them from one thread has an order.
std::optional<Finding> RaceOfThreads(const Examination& exam, const Divergence& divergence) {
  constexpr std::int64_t kWindow = 8;
  const std::vector<Participant>& members = exam.communicator(divergence.communicator).members;
  std::multiset<int> reference;
  std::vector<int> racing;
  std::int64_t length = 0;
  for (const Group& group : divergence.groups) {
    for (const int m : group.members) {
      const Participant& member = members[static_cast<std::size_t>(m)];
      std::multiset<int> classes;
      std::set<int> threads;
      const std::int64_t end = length == 0 ? kWindow : length;
      for (std::int64_t i = 0; i < end; ++i) {
        const Call* call = CallAt(exam.job, member, divergence.position + i);
        if (call == nullptr) break;
        classes.insert(exam.classes.Of(member.process, *call));
        const Shape& shape = exam.ShapeOf(member.process, *call);
        // The threads of a backward pass stand for the one that waits for it.
        threads.insert(shape.initiator_stack >= 0 ? 0 : shape.thread);
      }
      if (length == 0) {
        length = static_cast<std::int64_t>(classes.size());
        reference = classes;
      }
      if (classes != reference || length < 2) return std::nullopt;
      if (threads.size() > 1) racing.push_back(m);
    }
  }
  if (racing.empty()) return std::nullopt;
  Finding finding = NewFinding("group_misuse", "error");
  SetRanks(RanksOf(exam, divergence.communicator, racing), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, divergence.communicator, divergence.position, &finding);
  finding.set_message(absl::StrCat(
      "two threads of ", RankWords(Ranks(finding)), " use ",
      exam.communicator(divergence.communicator).name,
      " at once, so that its calls come in another order from rank to rank: ",
      AgainstEachOther(exam, divergence, MinorityOf(divergence), divergence.groups.front())));
  AddTie(divergence, &finding);
  AddLastCommonCall(exam, divergence.communicator, divergence.position, &finding);
  finding.set_advice(
      "Use one communicator from one thread, or give each thread a communicator (new_group) of its "
      "own and the device one order of calls.");
  return finding;
}

}  // namespace rollcall::analyzer
