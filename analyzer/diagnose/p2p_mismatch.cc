// p2p_mismatch: a send and a receive of one pair face each other and differ in tag, size or type.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

std::string Difference(const Call& a, const Shape& shape_a, const Call& b, const Shape& shape_b) {
  if (a.tag != b.tag) return absl::StrCat("tag (", a.tag, " and ", b.tag, ")");
  if (a.count != b.count) return absl::StrCat("size (", a.count, " and ", b.count, ")");
  if (shape_a.datatype != shape_b.datatype) return "datatype";
  return "";
}

}  // namespace

std::optional<Finding> P2pMismatch(const Examination& exam) {
  for (const int p : exam.processes()) {
    const Call* call = exam.StuckForGood(p) ? StuckIn(exam.process(p)) : nullptr;
    const int partner = call == nullptr ? -1 : PartnerOf(exam.job, exam.process(p), *call);
    if (partner < 0 || !exam.StuckForGood(partner)) continue;
    const Call& other = *StuckIn(exam.process(partner));
    if (PartnerOf(exam.job, exam.process(partner), other) != p ||
        !MeetsPartner(exam.process(p), *call, exam.process(partner))) {
      continue;
    }
    const std::string difference =
        Difference(*call, exam.ShapeOf(p, *call), other, exam.ShapeOf(partner, other));
    if (difference.empty()) continue;
    Finding finding = NewFinding("p2p_mismatch", "error");
    SetRanks({exam.process(p).rank, exam.process(partner).rank}, &finding);
    AddVictims(exam, &finding);
    AddStuck(exam, p, &finding);
    AddStuck(exam, partner, &finding);
    finding.set_message(absl::StrCat(
        "rank ", exam.process(p).rank, " is in ", CallName(exam, p, *call), " at ",
        SiteLine(exam, exam.sites.OfCall(p, *call)), " and rank ", exam.process(partner).rank,
        " in ", CallName(exam, partner, other), " at ",
        SiteLine(exam, exam.sites.OfCall(partner, other)), ": they differ in ", difference));
    finding.set_advice("Give the send and its receive the same tag, size and datatype.");
    return finding;
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
