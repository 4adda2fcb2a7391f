// p2p_unmatched: a send or receive whose partner ended, or is somewhere else.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> P2pUnmatched(const Examination& exam) {
  for (const int p : exam.processes()) {
    const Call* call = exam.StuckForGood(p) ? StuckIn(exam.process(p)) : nullptr;
    const int partner = call == nullptr ? -1 : PartnerOf(exam.job, exam.process(p), *call);
    // A partner that waits itself is followed: its own wait is the one to look at.
    if (partner < 0 || BreaksOff(exam.job, partner) || exam.waits.Waiting(partner) ||
        MeetsPartner(exam.process(p), *call, exam.process(partner))) {
      continue;
    }
    const Ending& ending = exam.ending(partner);
    Finding finding = NewFinding("p2p_unmatched", "error");
    SetRanks({exam.process(p).rank, exam.process(partner).rank}, &finding);
    AddVictims(exam, &finding);
    AddStuck(exam, p, &finding);
    AddStuck(exam, partner, &finding);
    finding.set_message(absl::StrCat(
        "rank ", exam.process(p).rank, " is in ", CallName(exam, p, *call), " at ",
        SiteLine(exam, exam.sites.OfCall(p, *call)), ", and its partner rank ",
        exam.process(partner).rank,
        ending.own() ? absl::StrCat(" has ended (", ending.how, ")") : " is elsewhere, ",
        ending.own() ? ", last seen at " : "at ", SiteWords(exam, PlaceOf(exam, partner).site)));
    finding.set_advice(
        "Pair every send with a receive: same ranks, same order, also in the last round.");
    return finding;
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
