// device_stall: all have launched the call, and the device of some completed less than those of
// their peers, although nothing is ahead of it.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {

std::optional<Finding> DeviceStall(const Examination& exam, const Absence& absence) {
  const Communicator& of = exam.communicator(absence.communicator);
  if (!absence.absent.empty() || !absence.unseen.empty() || !absence.waiting ||
      of.library != LIBRARY_NCCL)
    return std::nullopt;
  std::vector<int> behind, ahead;
  for (const int m : absence.present) {
    const Participant& member = of.members[static_cast<std::size_t>(m)];
    const Call* call = CallAt(exam.job, member, absence.position);
    if (call == nullptr) return std::nullopt;
    const Process& process = exam.process(member.process);
    if (call->state == CallState::kCompleted) {
      ahead.push_back(m);
    } else if (IsUnfinished(process, *call)) {
      // A host that is still in the launch has nothing on its device.
      if (call->started_ns == 0) return std::nullopt;
      if (exam.waits.Queued(member.process, call - process.calls.data())) return std::nullopt;
      behind.push_back(m);
    } else {
      return std::nullopt;
    }
  }
  if (behind.empty() || ahead.empty()) return std::nullopt;
  Finding finding = NewFinding("device_stall", "error");
  SetRanks(RanksOf(exam, absence.communicator, behind), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  const Participant& first = of.members[static_cast<std::size_t>(behind.front())];
  const Call& call = *CallAt(exam.job, first, absence.position);
  finding.set_message(
      absl::StrCat("all ranks have launched ", CallName(exam, first.process, call), " at ",
                   SiteLine(exam, exam.sites.OfCall(first.process, call)), ", and the device of ",
                   RankWords(Ranks(finding)), " does not complete it, while ",
                   RankWords(RanksOf(exam, absence.communicator, ahead)), " went on"));
  for (const int m : absence.present) {
    const Participant& member = of.members[static_cast<std::size_t>(m)];
    const auto done =
        std::count_if(member.calls.begin(), member.calls.end(), [&](std::int64_t index) {
          return exam.process(member.process).calls[static_cast<std::size_t>(index)].state ==
                 CallState::kCompleted;
        });
    if (finding.why_size() > 16) break;
    finding.add_why(absl::StrCat("rank ", exam.RankOf(member), " has launched ",
                                 EndPosition(exam.job, member), " calls and completed ",
                                 member.first_position + done));
  }
  AddWaitingEvidence(exam, absence, &finding);
  finding.set_advice(
      "Look at this device and its links: Xid errors in dmesg, nvidia-smi, ECC and NVLink "
      "counters, "
      "the network interface of this rank. Then at kernels of other streams that keep the device "
      "busy.");
  return finding;
}

}  // namespace rollcall::analyzer
