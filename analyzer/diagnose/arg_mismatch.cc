// arg_mismatch: the same operation with arguments that must agree and do not.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/sequence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

std::string Advice(const std::string& argument) {
  if (argument == "root")
    return "Pass the same source or destination rank on all ranks; it is a global rank in PyTorch, "
           "also in sub-groups.";
  if (argument == "splits")
    return "Exchange the split sizes first (an all-to-all of the counts), and take the output "
           "sizes from what the peers say.";
  if (argument == "capture")
    return "Decide on all ranks alike whether a step is captured, replayed or run directly: by the "
           "number of the step, not by the shapes or the memory of one rank.";
  if (argument == "redop") return "Pass the same reduce operation on all ranks.";
  if (argument == "datatype")
    return "Cast the tensor to one datatype on all ranks before the call.";
  return "Make the sizes equal before the call: pad or gather the sizes first, use equal batches "
         "(drop_last), and the same model and "
         "parameters on all ranks.";
}

// What a rank sends to another is not what that one takes.
Finding SplitsDiffer(const Examination& exam, const Divergence& divergence) {
  const SplitsMismatch& splits = divergence.splits.front();
  const std::vector<Participant>& members = exam.communicator(divergence.communicator).members;
  const Participant& sender = members[static_cast<std::size_t>(splits.sender)];
  const Participant& receiver = members[static_cast<std::size_t>(splits.receiver)];
  const Call& call = *CallAt(exam.job, sender, divergence.position);
  const char* unit = exam.ShapeOf(sender.process, call).element_bytes > 0 ? "bytes" : "elements";
  Finding finding = NewFinding("arg_mismatch", "error");
  finding.set_argument("splits");
  FillMismatch(exam, divergence, {Group{0, splits.members}}, &finding);
  finding.set_message(absl::StrCat("splits differ: rank ", exam.RankOf(sender), " sends ",
                                   splits.sent, " ", unit, " to rank ", exam.RankOf(receiver),
                                   ", which takes ", splits.expected, ", in ",
                                   CallName(exam, sender.process, call), " at ",
                                   SiteWords(exam, exam.sites.OfCall(sender.process, call))));
  finding.add_why(splits.members.size() == 1
                      ? "the other ranks agree with each other; this rank is in every pair that "
                        "does not"
                      : "either end of a pair may be wrong, so both are named");
  finding.set_advice(Advice("splits"));
  return finding;
}

// Some replay a graph, others make the call.
Finding CaptureDiffers(const Examination& exam, const Divergence& divergence) {
  const std::vector<Participant>& members = exam.communicator(divergence.communicator).members;
  std::string words;
  const auto tell = [&](const Group& group) {
    const Participant& first = members[static_cast<std::size_t>(group.members.front())];
    const Call& call = *CallAt(exam.job, first, divergence.position);
    const bool replayed = (exam.ShapeOf(first.process, call).flags & FLAG_REPLAYED) != 0;
    absl::StrAppend(&words, RankWords(RanksOf(exam, divergence.communicator, group.members)),
                    replayed ? " replayed a graph with " : " called ",
                    CallName(exam, first.process, call), replayed ? "" : " directly", " at ",
                    SiteWords(exam, exam.sites.OfCall(first.process, call)));
  };
  tell(divergence.groups[1]);
  absl::StrAppend(&words, " where ");
  tell(divergence.groups[0]);
  Finding finding = NewFinding("arg_mismatch", "error");
  finding.set_argument("capture");
  FillMismatch(exam, divergence, divergence.tie() ? divergence.groups : MinorityOf(divergence),
               &finding);
  finding.set_message(words);
  finding.add_why(
      "NCCL wants a call to be in a graph on all ranks or on none: a captured call may use other "
      "buffers and another algorithm");
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(Advice("capture"));
  return finding;
}

}  // namespace

std::optional<Finding> ArgMismatch(const Examination& exam, const Divergence& divergence) {
  if (!divergence.splits.empty()) return SplitsDiffer(exam, divergence);
  if (divergence.only_capture) return CaptureDiffers(exam, divergence);
  const Agreement& largest = exam.classes.AgreementAt(divergence.groups.front().call_class);
  std::string argument;
  for (const Group& group : divergence.groups) {
    const Agreement& other = exam.classes.AgreementAt(group.call_class);
    if (other.operation != largest.operation) return std::nullopt;
    if (argument.empty()) argument = DifferingArgument(largest, other);
  }
  if (argument.empty()) return std::nullopt;
  const std::vector<Group> deviators = MinorityOf(divergence);
  Finding finding = NewFinding("arg_mismatch", "error");
  finding.set_argument(argument);
  FillMismatch(exam, divergence, divergence.tie() ? divergence.groups : deviators, &finding);
  finding.set_message(
      absl::StrCat(AgainstEachOther(exam, divergence, deviators, divergence.groups.front()), ": ",
                   argument, " differs"));
  StateUndecided(exam, divergence, &finding);
  finding.set_advice(Advice(argument));
  return finding;
}

}  // namespace rollcall::analyzer
