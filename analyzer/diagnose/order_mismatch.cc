// order_mismatch: the same calls in another order on one communicator.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> OrderMismatch(const Examination& exam, const Divergence& divergence) {
  const std::vector<Group> deviators = MinorityOf(divergence);
  if (divergence.groups.size() < 2 || !divergence.splits.empty()) return std::nullopt;
  if (!std::all_of(divergence.scripts.begin() + 1, divergence.scripts.end(), Reordered))
    return std::nullopt;
  Finding finding = NewFinding("order_mismatch", "error");
  FillMismatch(exam, divergence, divergence.tie() ? divergence.groups : deviators, &finding);
  finding.set_message(
      absl::StrCat("the same calls in another order: ",
                   AgainstEachOther(exam, divergence, deviators, divergence.groups.front())));
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(
      "Make these calls in one order on all ranks: no iteration over sets or dictionaries that "
      "differ, no second thread.");
  return finding;
}

}  // namespace rollcall::analyzer
