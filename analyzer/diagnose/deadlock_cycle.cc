// deadlock_cycle: calls, finalizes or host waits that wait for each other in a circle. The members
// that are absent from a call wait in another one; or all are there, and a call's turn does not
// come.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// "communicator tp at position 5, for rank 1": whose part the call lacks, of those in the circle.
std::string WaitsFor(const Examination& exam, const Circle& circle, const CallRef& ref) {
  const Process& process = exam.process(ref.process);
  const Call& call = process.calls[static_cast<std::size_t>(ref.call)];
  const int handle = exam.ShapeOf(ref.process, call).communicator;
  const int communicator =
      handle < 0 ? -1 : process.communicators[static_cast<std::size_t>(handle)].communicator;
  std::vector<int> lacking;
  if (call.position < 0) {
    const PairEnd* end = exam.pairs.Find(ref.process, ref.call);
    if (end != nullptr && end->partner >= 0) lacking.push_back(exam.process(end->partner).rank);
  } else if (communicator >= 0) {
    for (const Participant& member : exam.communicator(communicator).members) {
      const bool in_circle =
          std::count(circle.processes.begin(), circle.processes.end(), member.process) != 0;
      if (in_circle && CallAt(exam.job, member, call.position) == nullptr)
        lacking.push_back(exam.RankOf(member));
    }
  }
  std::sort(lacking.begin(), lacking.end());
  return absl::StrCat(call.position < 0 || communicator < 0
                          ? ""
                          : absl::StrCat(", ", CommunicatorWords(exam, communicator),
                                         " at position ", call.position),
                      ", for ", Duration(NsInCall(exam.job, ref.process, call)),
                      lacking.empty() ? "" : absl::StrCat(": it lacks ", RankWords(lacking)));
}

// Who waits where, around the circle; also as evidence.
std::string Chain(const Examination& exam, const Circle& circle, Finding* finding) {
  std::string chain;
  for (const CallRef& ref : circle.calls) {
    const Process& process = exam.process(ref.process);
    const Call& call = process.calls[static_cast<std::size_t>(ref.call)];
    const bool queued = exam.waits.Queued(ref.process, ref.call);
    const std::string edge =
        absl::StrCat("rank ", process.rank, queued ? " has queued behind it " : " waits in ",
                     CallName(exam, ref.process, call), " at ",
                     SiteLine(exam, exam.sites.OfCall(ref.process, call)));
    if (finding->why_size() < 16) finding->add_why(absl::StrCat(edge, WaitsFor(exam, circle, ref)));
    if (chain.size() < 200) absl::StrAppend(&chain, chain.empty() ? "" : ", ", edge);
  }
  return absl::StrCat("ranks wait for each other in a circle: ", chain);
}

Finding Of(const Examination& exam, const Circle& circle) {
  Finding finding = NewFinding("deadlock_cycle", "error");
  std::vector<int> ranks;
  for (const int p : circle.processes)
    ranks.push_back(exam.process(p).rank);
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  for (const CallRef& ref : circle.calls)
    AddCallAndSite(exam, ref.process,
                   exam.process(ref.process).calls[static_cast<std::size_t>(ref.call)], &finding);
  if (circle.communicator >= 0) {
    finding.set_communicator(exam.communicator(circle.communicator).name);
    finding.set_position(circle.position);
  }
  finding.set_message(Chain(exam, circle, &finding));
  if (circle.minority) {
    finding.add_why(absl::StrCat(RankWords(Ranks(finding)),
                                 " entered another call of the circle before the one in which "
                                 "most members of communicator ",
                                 finding.communicator(), " wait"));
  }
  finding.set_advice(
      "Make these calls in one order on all ranks; pair sends with receives, or group them.");
  return finding;
}

const Call& CallOf(const Examination& exam, int process, std::int64_t call) {
  return exam.process(process).calls[static_cast<std::size_t>(call)];
}

// On one stream, and not in one group: the second had to wait for the first.
bool OneBehindOther(const Examination& exam, int p, std::int64_t first, std::int64_t second) {
  const Call &a = CallOf(exam, p, first), &b = CallOf(exam, p, second);
  const int stream = exam.ShapeOf(p, a).stream;
  return first < second && stream > 0 && stream == exam.ShapeOf(p, b).stream &&
         (a.group == 0 || a.group != b.group);
}

// Of a send that completed: the partner sent before it received, and so did this rank. Null = not.
const PairEnd* SendsFirstToo(const Examination& exam, int p, const PairEnd& send) {
  if (send.other.call < 0 ||
      exam.ShapeOf(p, CallOf(exam, p, send.call)).operation != OPERATION_SEND)
    return nullptr;
  const std::vector<PairEnd>& theirs = exam.pairs.Of(send.partner);
  const PairEnd* receive = exam.pairs.Find(send.partner, send.other.call);
  for (const PairEnd* end = receive; end != theirs.data() && receive - end < 8;) {
    --end;
    const bool back = end->partner == p && end->other.call >= 0 &&
                      exam.ShapeOf(send.partner, CallOf(exam, send.partner, end->call)).operation ==
                          OPERATION_SEND;
    if (back && OneBehindOther(exam, send.partner, end->call, receive->call) &&
        OneBehindOther(exam, p, send.call, end->other.call))
      return end;
  }
  return nullptr;
}

}  // namespace

std::optional<Finding> LatentCycle(const Examination& exam) {
  for (const int p : exam.processes()) {
    if (!exam.pairs.Complete(p)) continue;
    for (const PairEnd& send : exam.pairs.Of(p)) {
      const PairEnd* back = send.partner < 0 || !exam.pairs.Complete(send.partner)
                                ? nullptr
                                : SendsFirstToo(exam, p, send);
      if (back == nullptr) continue;
      Finding finding = NewFinding("deadlock_cycle", "warning");
      SetRanks({exam.process(p).rank, exam.process(send.partner).rank}, &finding);
      const Call &mine = CallOf(exam, p, send.call),
                 &theirs = CallOf(exam, send.partner, back->call);
      AddCallAndSite(exam, p, mine, &finding);
      AddCallAndSite(exam, send.partner, theirs, &finding);
      finding.set_message(absl::StrCat(
          RankWords(Ranks(finding)), " both send to each other before they receive: rank ",
          exam.process(p).rank, " in ", CallName(exam, p, mine), " at ",
          SiteLine(exam, exam.sites.OfCall(p, mine)), ", rank ", exam.process(send.partner).rank,
          " in ", CallName(exam, send.partner, theirs), " at ",
          SiteLine(exam, exam.sites.OfCall(send.partner, theirs))));
      finding.add_why(
          "the calls completed because the messages fit into buffers of the library: larger ones, "
          "or another machine, and they wait for each other for ever");
      finding.set_advice("Group the send with its receive, or let one side receive first.");
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> DeadlockCycle(const Examination& exam, const Absence& absence) {
  if (!AbsentKilled(exam, absence).empty() || !AbsentLeft(exam, absence).empty() ||
      !AbsentAborted(exam, absence).empty() || !AbsentAlive(exam, absence).empty()) {
    return std::nullopt;
  }
  const Circle* circle = exam.waits.CircleBehind(absence.communicator, absence.position);
  if (circle == nullptr) return std::nullopt;
  return Of(exam, *circle);
}

std::optional<Finding> CycleOfPartners(const Examination& exam) {
  for (const Circle& circle : exam.waits.circles()) {
    const bool for_good =
        std::all_of(circle.calls.begin(), circle.calls.end(),
                    [&](const CallRef& ref) { return exam.StuckForGood(ref.process); });
    if (for_good) return Of(exam, circle);
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
