// site_mismatch: equal calls from different places in the code: values are silently mixed.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> SiteMismatch(const Examination& exam, const Divergence& divergence) {
  if (!divergence.only_site) return std::nullopt;
  const std::vector<Group> deviators = MinorityOf(divergence);
  Finding finding = NewFinding("site_mismatch", divergence.went_well() ? "warning" : "error");
  FillMismatch(exam, divergence, divergence.tie() ? divergence.groups : deviators, &finding);
  finding.set_message(
      absl::StrCat("equal calls from different places: ",
                   AgainstEachOther(exam, divergence, deviators, divergence.groups.front())));
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(
      "See whether the two places mean the same exchange. If not, a rank took another path shortly "
      "before.");
  return finding;
}

}  // namespace rollcall::analyzer
