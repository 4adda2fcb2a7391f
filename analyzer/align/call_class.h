// Classes of calls: two calls are of one class when they agree in all that ranks must agree in, and
// were made at one site. A class is a number, equal on all ranks, so that millions of calls are
// compared as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/align/site.h"
#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// What the members of a communicator must agree in at one position (proto/fingerprint.h says which
// fields, by operation). Copies compare bytes: equal bytes in another datatype are the same copy.
struct Agreement {
  Operation operation = OPERATION_UNKNOWN;
  Datatype datatype = DATATYPE_UNKNOWN;
  ReduceOperation redop = REDUCE_OPERATION_NONE;
  std::uint64_t redop_function = 0;
  std::uint64_t count = 0;  // of copies: bytes, where the element size is known
  std::uint32_t element_bytes = 0;
  int root = -1;

  bool operator==(const Agreement&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const Agreement& a) {
    return H::combine(std::move(state), static_cast<int>(a.operation), static_cast<int>(a.datatype),
                      static_cast<int>(a.redop), a.redop_function, a.count, a.element_bytes,
                      a.root);
  }
};

Agreement AgreementOf(const Shape& shape, const Call& call);

// The first argument in which they differ, by the words of the report: count, datatype, redop,
// root; "" = none.
std::string DifferingArgument(const Agreement& a, const Agreement& b);

struct CallClass {
  int agreement = 0;
  int site = kNoSite;
};

class CallClasses {
 public:
  CallClasses(const Job& job, const SiteTable& sites);

  int Of(int process, const Call& call) const;
  const CallClass& at(int call_class) const {
    return classes_[static_cast<std::size_t>(call_class)];
  }
  const Agreement& AgreementAt(int call_class) const {
    return agreements_[static_cast<std::size_t>(at(call_class).agreement)];
  }

 private:
  int Intern(const Agreement& agreement, int site);

  std::vector<Agreement> agreements_;
  std::vector<CallClass> classes_;
  absl::flat_hash_map<Agreement, int> agreement_ids_;
  absl::flat_hash_map<std::pair<int, int>, int> class_ids_;
  std::vector<std::vector<int>> shapes_;  // by process and shape; -1 = by count, see below
  absl::flat_hash_map<std::pair<std::pair<int, std::uint32_t>, std::uint64_t>, int> counted_;
};

}  // namespace rollcall::analyzer
