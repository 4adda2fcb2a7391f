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
  if (argument == "redop") return "Pass the same reduce operation on all ranks.";
  if (argument == "datatype")
    return "Cast the tensor to one datatype on all ranks before the call.";
  return "Make the sizes equal before the call: pad or gather the sizes first, use equal batches "
         "(drop_last), and the same model and "
         "parameters on all ranks.";
}

}  // namespace

std::optional<Finding> ArgMismatch(const Examination& exam, const Divergence& divergence) {
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
  finding.set_advice(Advice(argument));
  return finding;
}

}  // namespace rollcall::analyzer
