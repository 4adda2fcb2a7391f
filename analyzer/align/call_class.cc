#include "analyzer/align/call_class.h"

#include "proto/fingerprint.h"

namespace rollcall::analyzer {

Agreement AgreementOf(const Shape& shape, const Call& call) {
  Agreement agreement;
  agreement.operation = shape.operation;
  const unsigned fields = RollcallFingerprintFields(static_cast<std::uint32_t>(shape.operation));
  const bool reduces = (fields & kRollcallAgreeRedop) != 0;
  if ((fields & kRollcallAgreeCount) != 0) agreement.count = call.count;
  // An even all-to-all; with splits, counts go by pairs.
  const bool splits = !shape.input_splits.empty() || !shape.output_splits.empty() ||
                      (shape.variable & VARIABLE_SPLITS) != 0;
  if (shape.operation == OPERATION_ALLTOALL && !splits) agreement.count = call.count;
  if (reduces) {
    agreement.datatype = shape.datatype;
    agreement.redop = shape.redop;
    // Functions have names in one build only; the name of the operation counts where there is one.
    if (shape.redop == REDUCE_OPERATION_NONE || shape.redop == REDUCE_OPERATION_CUSTOM)
      agreement.redop_function = shape.redop_function;
  }
  if ((fields & kRollcallAgreeDatatype) != 0) {
    if (!reduces && shape.element_bytes > 0) {
      agreement.count *= shape.element_bytes;
    } else {
      agreement.element_bytes = shape.element_bytes;
      agreement.datatype = shape.datatype;
    }
  }
  if ((fields & kRollcallAgreeRoot) != 0 && shape.root.has_value()) agreement.root = *shape.root;
  return agreement;
}

std::string DifferingArgument(const Agreement& a, const Agreement& b) {
  if (a.datatype != b.datatype) return "datatype";
  if (a.count != b.count) return "count";
  if (a.element_bytes != b.element_bytes) return "datatype";
  if (a.redop != b.redop || a.redop_function != b.redop_function) return "redop";
  if (a.root != b.root) return "root";
  return "";
}

int CallClasses::Intern(const Agreement& agreement, int site) {
  const auto [agreed, new_agreement] =
      agreement_ids_.try_emplace(agreement, static_cast<int>(agreements_.size()));
  if (new_agreement) agreements_.push_back(agreement);
  const auto [found, is_new] =
      class_ids_.try_emplace({agreed->second, site}, static_cast<int>(classes_.size()));
  if (is_new) classes_.push_back({agreed->second, site});
  return found->second;
}

CallClasses::CallClasses(const Job& job, const SiteTable& sites) {
  shapes_.resize(job.processes.size());
  for (std::size_t p = 0; p < job.processes.size(); ++p) {
    const Process& process = job.processes[p];
    shapes_[p].assign(process.shapes.size(), -1);
    for (const Call& call : process.calls) {
      const Shape& shape = process.shapes[call.shape];
      const int site = sites.OfShape(static_cast<int>(p), call.shape);
      if ((shape.variable & VARIABLE_COUNT) != 0) {
        const auto [found, is_new] =
            counted_.try_emplace({{static_cast<int>(p), call.shape}, call.count}, 0);
        if (is_new) found->second = Intern(AgreementOf(shape, call), site);
      } else if (shapes_[p][call.shape] < 0) {
        shapes_[p][call.shape] = Intern(AgreementOf(shape, call), site);
      }
    }
  }
}

int CallClasses::Of(int process, const Call& call) const {
  const int known = shapes_[static_cast<std::size_t>(process)][call.shape];
  return known >= 0 ? known : counted_.at({{process, call.shape}, call.count});
}

}  // namespace rollcall::analyzer
