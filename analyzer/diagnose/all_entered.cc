// all_entered: every member is in the call, with equal arguments, and nothing comes of it: no
// rank's code is to blame.
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> AllEntered(const Examination& exam, const Absence& absence) {
  if (!absence.absent.empty() || !absence.unseen.empty() || !absence.waiting) return std::nullopt;
  Finding finding = NewFinding("all_entered", "error");
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  finding.set_message(
      absl::StrCat("no rank is to blame: all ", absence.present.size(),
                   " are in the call, and nothing completes: ", WaitingWords(exam, absence),
                   " for ", Duration(absence.waited_ns)));
  AddWaitingEvidence(exam, absence, &finding);
  finding.add_why("operations, sizes, types and roots of this call are equal on all ranks");
  finding.set_advice(
      "Look below the program: network and firewall between the machines, the interface that the "
      "library chose "
      "(GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME), the device, the library itself.");
  return finding;
}

}  // namespace rollcall::analyzer
