// op_mismatch: different operations at one position, and nothing that explains it better.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> OpMismatch(const Examination& exam, const Divergence& divergence) {
  const std::vector<Group> deviators = MinorityOf(divergence);
  Finding finding = NewFinding("op_mismatch", "error");
  FillMismatch(exam, divergence, divergence.tie() ? divergence.groups : deviators, &finding);
  finding.set_message(AgainstEachOther(exam, divergence, deviators, divergence.groups.front()));
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(
      "Follow the two stacks back to where they part: a condition there is not the same on all "
      "ranks.");
  return finding;
}

}  // namespace rollcall::analyzer
