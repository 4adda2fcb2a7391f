#include "tests/corpus/less_seen.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rollcall::tests {
namespace {

bool Accuses(const Finding& finding) {
  return finding.severity() == "error" ||
         (finding.severity() == "warning" && finding.kind() != "late_rank" &&
          finding.kind() != "env_mismatch");
}

std::set<int> AllRanks(const Report& report) {
  std::set<int> ranks;
  for (const Finding& finding : report.findings()) {
    if (finding.severity() != "note") ranks.insert(finding.ranks().begin(), finding.ranks().end());
  }
  return ranks;
}

bool SaysTie(const Finding& finding) {
  return std::any_of(finding.why().begin(), finding.why().end(), [](const std::string& why) {
    return why.find("two groups of equal size disagree") != std::string::npos;
  });
}

bool IsPart(const std::set<int>& part, const std::set<int>& of) {
  return std::includes(of.begin(), of.end(), part.begin(), part.end());
}

// One kind, and some of its ranks.
bool IsWeaker(const Report& whole, const Report& less) {
  if (whole.findings().empty() || less.findings().empty()) return false;
  const Finding &all = whole.findings(0), &some = less.findings(0);
  return all.kind() == some.kind() && !some.ranks().empty() &&
         IsPart({some.ranks().begin(), some.ranks().end()},
                {all.ranks().begin(), all.ranks().end()});
}

std::string First(const Report& report) {
  if (report.findings().empty()) return "none";
  const Finding& first = report.findings(0);
  return absl::StrCat(first.kind(), " of ", absl::StrJoin(first.ranks(), ","), " at ",
                      first.position());
}

}  // namespace

bool SameCause(const Report& whole, const Report& less) {
  return First(whole) == First(less);
}

std::string Wrong(const Report& whole, const Report& less, int hidden) {
  const std::string limits = absl::StrJoin(less.limits(), "; ");
  if (less.could_not_analyze()) return limits.empty() ? "no reason for having no verdict" : "";
  const bool tells_hidden = hidden >= 0 && limits.find("not visible here") != std::string::npos;
  const std::set<int> guilty = AllRanks(whole);
  for (const Finding& finding : less.findings()) {
    if (!Accuses(finding)) continue;
    std::set<int> named(finding.ranks().begin(), finding.ranks().end());
    if (finding.kind() == "init_incomplete" && tells_hidden) named.erase(hidden);
    if (IsPart(named, guilty)) continue;
    if (SaysTie(finding) && IsPart(guilty, named)) continue;
    return absl::StrCat("somebody else is accused: ", finding.kind(), " of ",
                        absl::StrJoin(finding.ranks(), ","), " instead of ", First(whole), ": ",
                        finding.message());
  }
  if (hidden >= 0 && !tells_hidden)
    return absl::StrCat("no limit says that rank ", hidden, " is not visible: ", limits);
  if (!SameCause(whole, less) && !IsWeaker(whole, less) &&
      limits == absl::StrJoin(whole.limits(), "; "))
    return absl::StrCat(First(less), " instead of ", First(whole),
                        ", and no limit says why: ", limits);
  return "";
}

}  // namespace rollcall::tests
