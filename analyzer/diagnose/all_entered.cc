// all_entered: every member is in the call, with equal arguments, and nothing comes of it: no
// rank's code is to blame.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

constexpr char kAdvice[] =
    "Look below the program: network and firewall between the machines, the interface that the "
    "library chose (GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME), the device, the library itself.";

constexpr char kRendezvousAdvice[] =
    "Look at the address: MASTER_ADDR must be the name or address of the machine on which rank 0 "
    "runs, MASTER_PORT a port that no other program has and no firewall closes. On every machine: "
    "`getent hosts NAME`, `nc -zv NAME PORT`; the output of the ranks says what they try.";

// What makes a host wait where it would not: a hint, nobody's fault.
void AddHints(const Examination& exam, Finding* finding) {
  std::vector<int> blocking;
  for (const int p : exam.processes()) {
    const std::string& value = exam.process(p).Setting("env.CUDA_LAUNCH_BLOCKING");
    if (!value.empty() && value != "0") blocking.push_back(exam.process(p).rank);
  }
  if (blocking.empty()) return;
  std::sort(blocking.begin(), blocking.end());
  finding->add_why(absl::StrCat("CUDA_LAUNCH_BLOCKING is set on ", RankWords(blocking),
                                ": a launch then waits for its end, and the host launches nothing "
                                "else meanwhile"));
}

bool AllThere(const Absence& absence) {
  return absence.absent.empty() && absence.unseen.empty() && absence.waiting;
}

// Something else is ahead of the call on some member: that is the one to look at.
bool SomeQueued(const Examination& exam, const Absence& absence) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  return std::any_of(absence.present.begin(), absence.present.end(), [&](int m) {
    const Participant& member = members[static_cast<std::size_t>(m)];
    const Call* call = CallAt(exam.job, member, absence.position);
    return call != nullptr &&
           exam.waits.Queued(member.process, call - exam.process(member.process).calls.data());
  });
}

Finding Entered(const Examination& exam, const Absence& absence) {
  Finding finding = NewFinding("all_entered", "error");
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  const bool some_out = std::any_of(absence.present.begin(), absence.present.end(), [&](int m) {
    const Call* call = CallAt(exam.job, members[static_cast<std::size_t>(m)], absence.position);
    return call != nullptr && call->state == CallState::kCompleted;
  });
  finding.set_message(absl::StrCat("no rank is to blame: all ", absence.present.size(),
                                   some_out ? " made the call, and not all get out of it: "
                                            : " are in the call, and nothing completes: ",
                                   WaitingWords(exam, absence), " for ",
                                   Duration(absence.waited_ns)));
  AddWaitingEvidence(exam, absence, &finding);
  finding.add_why("operations, sizes, types and roots of this call are equal on all ranks");
  AddHints(exam, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

Finding BothThere(const Examination& exam, int p, const PairEnd& end) {
  const Call& call = exam.process(p).calls[static_cast<std::size_t>(end.call)];
  const Call& other =
      exam.process(end.other.process).calls[static_cast<std::size_t>(end.other.call)];
  Finding finding = NewFinding("all_entered", "error");
  AddVictims(exam, &finding);
  AddCallAndSite(exam, p, call, &finding);
  AddCallAndSite(exam, end.other.process, other, &finding);
  finding.set_message(absl::StrCat(
      "no rank is to blame: rank ", exam.process(p).rank, " is in ", CallName(exam, p, call),
      " at ", SiteLine(exam, exam.sites.OfCall(p, call)), ", its partner rank ",
      exam.process(end.other.process).rank, " in the ", CallName(exam, end.other.process, other),
      " that meets it, and nothing completes for ", Duration(NsInCall(exam.job, p, call))));
  finding.add_why("the two calls agree, and nothing is ahead of them on either side");
  AddHints(exam, &finding);
  finding.set_advice(kAdvice);
  return finding;
}

}  // namespace

std::optional<Finding> AllEntered(const Examination& exam, const Absence& absence) {
  if (!AllThere(absence) || SomeQueued(exam, absence)) return std::nullopt;
  return Entered(exam, absence);
}

// What is ahead of the calls is told by nothing else.
std::optional<Finding> NothingCompletes(const Examination& exam) {
  for (const std::optional<Absence>& absence : exam.absences) {
    if (absence.has_value() && AllThere(*absence) && exam.Definite(*absence))
      return Entered(exam, *absence);
  }
  for (const int p : exam.processes()) {
    if (!exam.StuckForGood(p)) continue;
    for (const PairEnd& end : exam.pairs.Of(p)) {
      const Call& call = exam.process(p).calls[static_cast<std::size_t>(end.call)];
      if (!IsUnfinished(exam.process(p), call) || end.other.call < 0 ||
          exam.waits.Queued(p, end.call) || exam.waits.Queued(end.other.process, end.other.call))
        continue;
      return BothThere(exam, p, end);
    }
  }
  return std::nullopt;
}

std::optional<Finding> AllInCreation(const Examination& exam) {
  for (const Start& start : exam.starts) {
    const bool all_inside =
        start.absent.empty() && start.unnamed == 0 && !start.sizes_differ &&
        std::all_of(start.calls.begin(), start.calls.end(), [&](const StartCall& of) {
          return IsUnfinished(exam.process(of.process), *of.call);
        });
    if (!all_inside || !exam.Definite(start)) continue;
    Finding finding = NewFinding("all_entered", "error");
    AddVictims(exam, &finding);
    AddStart(exam, start, &finding);
    const StartCall& first = start.calls.front();
    finding.set_message(
        absl::StrCat("no rank is to blame: all ", start.calls.size(), " are in the ",
                     start.communicator < 0 ? "rendezvous" : "construction of the communicator",
                     " at ", SiteLine(exam, exam.sites.OfCall(first.process, *first.call)),
                     ", and nothing completes for ", Duration(start.waited_ns)));
    finding.add_why("all ask for the same size, and every rank is there once");
    finding.set_advice(start.communicator < 0 ? kRendezvousAdvice : kAdvice);
    return finding;
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
