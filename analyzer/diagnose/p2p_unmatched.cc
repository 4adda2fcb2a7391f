// p2p_unmatched: a send or receive whose partner ended, or is somewhere else.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// It has the partner's attention, and the partner does not come. A partner that waits itself is
// followed: its own wait is the one to look at.
bool IsUnmatched(const Examination& exam, int p, const PairEnd& end) {
  const Process& process = exam.process(p);
  const Call& call = process.calls[static_cast<std::size_t>(end.call)];
  if (!IsUnfinished(process, call) || end.partner < 0) return false;
  // They met, and the partner ended before it was done.
  if (end.other.call >= 0) {
    const Process& partner = exam.process(end.partner);
    return exam.ending(end.partner).own() && !exam.waits.Queued(p, end.call) &&
           IsUnfinished(partner, partner.calls[static_cast<std::size_t>(end.other.call)]);
  }
  if (exam.waits.Queued(p, end.call) || exam.ending(end.partner).breaks_off) return false;
  if (exam.ending(end.partner).own()) return true;
  const int handle = process.shapes[call.shape].communicator;
  return !exam.waits.Waiting(end.partner,
                             process.communicators[static_cast<std::size_t>(handle)].communicator);
}

Finding Unmatched(const Examination& exam, int p, const PairEnd& end) {
  const Call& call = exam.process(p).calls[static_cast<std::size_t>(end.call)];
  const int partner = end.partner;
  const Ending& ending = exam.ending(partner);
  Finding finding = NewFinding("p2p_unmatched", "error");
  SetRanks({exam.process(p).rank, exam.process(partner).rank}, &finding);
  AddVictims(exam, &finding);
  AddCallAndSite(exam, p, call, &finding);
  AddStuck(exam, partner, &finding);
  const bool sends = exam.ShapeOf(p, call).operation == OPERATION_SEND;
  finding.set_message(absl::StrCat(
      "rank ", exam.process(p).rank, " is in ", CallName(exam, p, call), " at ",
      SiteLine(exam, exam.sites.OfCall(p, call)), ", and its partner rank ",
      exam.process(partner).rank,
      ending.own() ? absl::StrCat(" has ended (", ending.how, ")") : " is elsewhere, ",
      ending.own() ? ", last seen at " : "at ", SiteWords(exam, PlaceOf(exam, partner).site)));
  finding.add_why(absl::StrCat(
      "rank ", exam.process(partner).rank, end.other.call >= 0 ? " ended while the " : " made no ",
      sends ? "receive" : "send",
      end.other.call >= 0 ? " that meets it was under way" : " that would meet it"));
  finding.set_advice(
      "Pair every send with a receive: same ranks, same order, also in the last round.");
  return finding;
}

// Its partner has no trace, or one that breaks off: nobody who is visible broke step.
bool WaitsForUnseen(const Examination& exam, int p, const PairEnd& end) {
  const Call& call = exam.process(p).calls[static_cast<std::size_t>(end.call)];
  return IsUnfinished(exam.process(p), call) && end.other.call < 0 && call.peer >= 0 &&
         !exam.waits.Queued(p, end.call) &&
         (end.partner < 0 || exam.ending(end.partner).breaks_off);
}

int RankOfPartner(const Examination& exam, int p, const Call& call) {
  const Process& process = exam.process(p);
  const int handle = exam.ShapeOf(p, call).communicator;
  const Communicator& of =
      exam.communicator(process.communicators[static_cast<std::size_t>(handle)].communicator);
  for (const Participant& member : of.members) {
    if (member.rank == call.peer) return exam.RankOf(member);
  }
  return call.peer;
}

}  // namespace

std::optional<Finding> UnseenPartner(const Examination& exam) {
  for (const int p : exam.processes()) {
    if (!exam.StuckForGood(p)) continue;
    for (const PairEnd& end : exam.pairs.Of(p)) {
      if (!WaitsForUnseen(exam, p, end)) continue;
      const Call& call = exam.process(p).calls[static_cast<std::size_t>(end.call)];
      const int partner = RankOfPartner(exam, p, call);
      Finding finding = NewFinding("missing_rank", "error");
      AddVictims(exam, &finding);
      AddCallAndSite(exam, p, call, &finding);
      finding.set_message(
          absl::StrCat("rank ", exam.process(p).rank, " waits in ", CallName(exam, p, call), " at ",
                       SiteLine(exam, exam.sites.OfCall(p, call)), " for rank ", partner,
                       ", whose part is not visible here: no rank that is visible broke step"));
      finding.set_advice(absl::StrCat("Add the whole trace of rank ", partner,
                                      " and analyze again. A rank that died before its first call "
                                      "leaves no trace: look at its output."));
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> P2pUnmatched(const Examination& exam) {
  for (const int p : exam.processes()) {
    if (!exam.StuckForGood(p)) continue;
    for (const PairEnd& end : exam.pairs.Of(p)) {
      if (IsUnmatched(exam, p, end)) return Unmatched(exam, p, end);
    }
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
