// p2p_mismatch: a send and a receive of one pair differ in tag, size or type, and one of them does
// not end; or both ended although one moved more bytes than the other.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

const Call& CallOf(const Examination& exam, const CallRef& ref) {
  return exam.process(ref.process).calls[static_cast<std::size_t>(ref.call)];
}

bool IsOpen(const Examination& exam, const CallRef& ref) {
  return IsUnfinished(exam.process(ref.process), CallOf(exam, ref));
}

// Copies compare bytes; "" = they are equal.
std::string SizeDifference(const Examination& exam, const CallRef& a, const CallRef& b) {
  const Call &call_a = CallOf(exam, a), &call_b = CallOf(exam, b);
  const Shape &shape_a = exam.ShapeOf(a.process, call_a),
              &shape_b = exam.ShapeOf(b.process, call_b);
  const bool known = shape_a.element_bytes != 0 && shape_b.element_bytes != 0;
  const bool equal =
      known ? call_a.count * shape_a.element_bytes == call_b.count * shape_b.element_bytes
            : call_a.count == call_b.count;
  if (equal) return "";
  if (call_a.count != call_b.count)
    return absl::StrCat("size (", call_a.count, " and ", call_b.count, ")");
  return absl::StrCat("datatype (", DatatypeWord(shape_a.datatype), " and ",
                      DatatypeWord(shape_b.datatype), ")");
}

Finding Mismatch(const Examination& exam, const CallRef& a, const CallRef& b,
                 const std::string& difference, bool hangs) {
  const Call &call_a = CallOf(exam, a), &call_b = CallOf(exam, b);
  Finding finding = NewFinding("p2p_mismatch", "error");
  SetRanks({exam.process(a.process).rank, exam.process(b.process).rank}, &finding);
  AddVictims(exam, &finding);
  AddCallAndSite(exam, a.process, call_a, &finding);
  AddCallAndSite(exam, b.process, call_b, &finding);
  const char* is = hangs ? " is in " : " made ";
  finding.set_message(absl::StrCat(
      "rank ", exam.process(a.process).rank, is, CallName(exam, a.process, call_a), " at ",
      SiteLine(exam, exam.sites.OfCall(a.process, call_a)), " and rank ",
      exam.process(b.process).rank, hangs ? " in " : " ", CallName(exam, b.process, call_b), " at ",
      SiteLine(exam, exam.sites.OfCall(b.process, call_b)), ": they differ in ", difference));
  for (const CallRef& ref : {a, b}) {
    const Call& call = CallOf(exam, ref);
    finding.add_why(absl::StrCat("rank ", exam.process(ref.process).rank, ": ",
                                 CallWords(exam, ref.process, call), ", ", StateWord(call.state),
                                 " after ", Duration(NsInCall(exam.job, ref.process, call))));
  }
  if (!hangs) {
    finding.add_why(
        "both completed: nothing hangs, but not all of what was sent is where it should be");
  }
  finding.set_advice("Give the send and its receive the same tag, size and datatype.");
  return finding;
}

// The first of the pair: by rank.
std::pair<CallRef, CallRef> InOrder(const Examination& exam, const CallRef& a, const CallRef& b) {
  return exam.process(a.process).rank <= exam.process(b.process).rank ? std::pair(a, b)
                                                                      : std::pair(b, a);
}

}  // namespace

std::optional<Finding> P2pMismatch(const Examination& exam) {
  for (const int p : exam.processes()) {
    if (!exam.StuckForGood(p)) continue;
    for (const PairEnd& end : exam.pairs.Of(p)) {
      const CallRef mine{p, end.call};
      if (!IsOpen(exam, mine) || end.partner < 0 || exam.waits.Queued(p, end.call)) continue;
      if (end.other.call >= 0) {
        if (exam.waits.Queued(end.other.process, end.other.call)) continue;
        const auto [a, b] = InOrder(exam, mine, end.other);
        const std::string difference = SizeDifference(exam, a, b);
        if (!difference.empty()) return Mismatch(exam, a, b, difference, true);
        continue;
      }
      // Both ends are there and do not meet: their tags differ.
      const Operation wanted = exam.ShapeOf(p, CallOf(exam, mine)).operation == OPERATION_SEND
                                   ? OPERATION_RECV
                                   : OPERATION_SEND;
      const PairEnd* other = exam.pairs.Unmet(end.partner, p, wanted);
      if (other == nullptr) continue;
      const auto [a, b] = InOrder(exam, mine, {end.partner, other->call});
      const std::int64_t tag_a = CallOf(exam, a).tag, tag_b = CallOf(exam, b).tag;
      if (tag_a != tag_b)
        return Mismatch(exam, a, b, absl::StrCat("tag (", tag_a, " and ", tag_b, ")"), true);
    }
  }
  return std::nullopt;
}

std::optional<Finding> P2pSilentMismatch(const Examination& exam) {
  for (const int p : exam.processes()) {
    for (const PairEnd& end : exam.pairs.Of(p)) {
      const CallRef mine{p, end.call};
      const Call& call = CallOf(exam, mine);
      if (end.other.call < 0 || exam.ShapeOf(p, call).operation != OPERATION_SEND ||
          !exam.pairs.Complete(p) || !exam.pairs.Complete(end.other.process) ||
          call.state != CallState::kCompleted ||
          CallOf(exam, end.other).state != CallState::kCompleted)
        continue;
      const auto [a, b] = InOrder(exam, mine, end.other);
      const std::string difference = SizeDifference(exam, a, b);
      if (!difference.empty()) return Mismatch(exam, a, b, difference, false);
    }
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
