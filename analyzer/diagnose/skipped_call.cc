// skipped_call: ranks left out a call that the others make, and are one call ahead from then on.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// "A at x:1", or with how many others behind it.
std::string WhatWasLeftOut(const Examination& exam, const Sides& sides, std::int64_t calls) {
  const Participant& other = exam.communicator(sides.divergence.communicator)
                                 .members[static_cast<std::size_t>(sides.others.members.front())];
  const Call& first = *CallAt(exam.job, other, sides.divergence.position);
  const std::string words = absl::StrCat(CallWords(exam, other.process, first), " at ",
                                         SiteWords(exam, exam.sites.OfCall(other.process, first)));
  if (calls == 1) return words;
  return absl::StrCat(words, " and the ", calls == 2 ? "call" : absl::StrCat(calls - 1, " calls"),
                      " behind it");
}

}  // namespace

std::optional<Finding> SkippedCall(const Examination& exam, const Sides& sides) {
  const std::int64_t calls = LeftOut(exam, sides);
  if (calls == 0) return std::nullopt;
  Finding finding = NewFinding("skipped_call", "error");
  FillMismatch(exam, sides.divergence, {sides.deviators}, &finding);
  const int next = exam.classes.at(sides.deviators.call_class).site;
  finding.set_message(
      absl::StrCat(RankWords(Ranks(finding)), " skipped ", WhatWasLeftOut(exam, sides, calls),
                   ", and went on to the call at ", SiteLine(exam, next), ", while ",
                   RankWords(RanksOf(exam, sides.divergence.communicator, sides.others.members)),
                   " made ", calls == 1 ? "it" : "them"));
  const char* without = calls == 1 ? "without that call" : "without those calls";
  finding.add_why(!sides.script.resynchronised()
                      ? "in earlier rounds the deviating call comes behind the others' call"
                  : sides.script.matched == 1
                      ? absl::StrCat(without, ", the next call of both sides is the same")
                      : absl::StrCat(without, ", the next ", sides.script.matched,
                                     " calls of both sides are the same"));
  StateUndecided(exam, sides.divergence, &finding);
  finding.set_advice(
      "Look for a path on this rank that leaves the call out: an early return or continue, an "
      "empty batch, a parameter without "
      "gradient, an exception that was caught.");
  return finding;
}

}  // namespace rollcall::analyzer
