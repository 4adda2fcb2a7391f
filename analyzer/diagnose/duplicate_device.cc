// duplicate_device: two ranks of a communicator use one device, and the communicator does not work.
#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// What tells a device from all others; "" = not enough is known. A number alone counts among the
// devices that the process may see.
std::string DeviceOf(const Process& process, const CommunicatorHandle& handle) {
  if (!handle.bus_id.empty()) return absl::StrCat(process.host, " ", handle.bus_id);
  if (!handle.device.has_value()) return "";
  const std::string& visible = process.Setting("env.CUDA_VISIBLE_DEVICES");
  const std::vector<std::string> devices = absl::StrSplit(visible, ',', absl::SkipEmpty());
  const auto index = static_cast<std::size_t>(*handle.device);
  return absl::StrCat(process.host, " ",
                      index < devices.size() ? devices[index] : absl::StrCat(*handle.device));
}

// Calls went through: then the library does not mind.
bool Works(const Examination& exam, const Communicator& communicator) {
  return std::any_of(
      communicator.members.begin(), communicator.members.end(), [&](const Participant& member) {
        return std::any_of(member.calls.begin(), member.calls.end(), [&](std::int64_t index) {
          return exam.process(member.process).calls[static_cast<std::size_t>(index)].state ==
                 CallState::kCompleted;
        });
      });
}

// Somebody waits in its construction or in a call, or it failed.
bool IsBroken(const Examination& exam, int communicator) {
  for (const Start& start : exam.starts) {
    if (start.communicator != communicator) continue;
    if (!start.absent.empty()) return false;
    const bool failed =
        std::any_of(start.calls.begin(), start.calls.end(),
                    [](const StartCall& of) { return of.call->state == CallState::kFailed; });
    if (failed || exam.Definite(start)) return true;
  }
  for (const std::optional<Absence>& absence : exam.absences) {
    if (absence.has_value() && absence->communicator == communicator && absence->absent.empty() &&
        absence->waiting && exam.Definite(*absence))
      return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> DuplicateDevice(const Examination& exam) {
  for (const int index : exam.communicators) {
    const Communicator& communicator = exam.communicator(index);
    std::map<std::string, std::vector<int>> by_device;  // members
    for (std::size_t m = 0; m < communicator.members.size(); ++m) {
      const Participant& member = communicator.members[m];
      if (member.process < 0 || member.handle < 0) continue;
      const Process& process = exam.process(member.process);
      const std::string device =
          DeviceOf(process, process.communicators[static_cast<std::size_t>(member.handle)]);
      if (!device.empty()) by_device[device].push_back(static_cast<int>(m));
    }
    const auto shared = std::find_if(by_device.begin(), by_device.end(),
                                     [](const auto& of) { return of.second.size() > 1; });
    if (shared == by_device.end() || Works(exam, communicator) || !IsBroken(exam, index)) continue;
    std::vector<int> members;
    for (const auto& [device, on_it] : by_device) {
      if (on_it.size() > 1) members.insert(members.end(), on_it.begin(), on_it.end());
    }
    Finding finding = NewFinding("duplicate_device", "error");
    SetRanks(RanksOf(exam, index, members), &finding);
    AddVictims(exam, &finding);
    finding.set_communicator(communicator.name);
    for (const Start& start : exam.starts) {
      if (start.communicator == index) AddStart(exam, start, &finding);
    }
    finding.set_message(absl::StrCat(
        RankWords(RanksOf(exam, index, shared->second)), " use one device (", shared->first, ") ",
        CommunicatorWords(exam, index), ", which cannot be made that way"));
    for (const auto& [device, on_it] : by_device) {
      if (on_it.size() > 1)
        finding.add_why(absl::StrCat(RankWords(RanksOf(exam, index, on_it)), ": ", device));
    }
    finding.set_advice(
        "Give every rank its own device before the first group is made: "
        "torch.cuda.set_device(LOCAL_RANK), or one CUDA_VISIBLE_DEVICES per process.");
    return {finding};
  }
  return {};
}

}  // namespace rollcall::analyzer
