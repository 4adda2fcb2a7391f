#include "analyzer/diagnose/gradients.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace rollcall::analyzer {

bool IsFloating(const Shape& shape) {
  switch (shape.datatype) {
    case DATATYPE_F16:
    case DATATYPE_BF16:
    case DATATYPE_F32:
    case DATATYPE_F64:
    case DATATYPE_F8E4M3:
    case DATATYPE_F8E5M2:
    case DATATYPE_C64:
    case DATATYPE_C128:
    case DATATYPE_UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool InBackward(const Examination& exam, int process, const Call& call) {
  const int site = exam.sites.OfCall(process, call);
  if (site == kNoSite) return false;
  const std::string& api = exam.sites.at(site).api;
  return absl::StrContains(api, "backward") || absl::StrContains(api, "DistributedDataParallel");
}

bool MayCarryGradients(const Shape& shape, std::uint64_t count) {
  switch (shape.operation) {
    case OPERATION_ALLREDUCE:
    case OPERATION_REDUCE:
    case OPERATION_REDUCESCATTER:
    case OPERATION_ALLGATHER:
    case OPERATION_GATHER:
    case OPERATION_ALLTOALL:
    case OPERATION_SEND:
    case OPERATION_RECV:
      return count * shape.tensors > 1 && IsFloating(shape);
    default:
      return false;
  }
}

const BackwardSite* MainBackwardSite(const Process& process) {
  const auto most = std::max_element(
      process.backward.begin(), process.backward.end(),
      [](const BackwardSite& a, const BackwardSite& b) { return a.passes < b.passes; });
  return most == process.backward.end() ? nullptr : &*most;
}

int GroupSize(const Process& process) {
  int size = 1;
  for (const CommunicatorHandle& handle : process.communicators)
    size = std::max(size, handle.size);
  return size;
}

}  // namespace rollcall::analyzer
