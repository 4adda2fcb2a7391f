// What cells and events say about rows, in the order of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/loaded_process.h"
#include "analyzer/trace/rows.h"

namespace rollcall::analyzer {

class RowFacts {
 public:
  explicit RowFacts(LoadedProcess& loaded);

  // The call of a row, shape and columns resolved, position unknown. shape: index in
  // Process::shapes.
  Call MakeCall(const Row& row, int shape);
  // Rows that were open when their block was needed: in events alone.
  const std::vector<Row>& moved_rows() const { return moved_rows_; }

  struct Tag {
    std::uint64_t value = 0;
    std::uint64_t taken = 1;
  };
  // Tag that the library took for the row, if it says so.
  const Tag* FindTag(std::int64_t row) const;
  bool has_tags() const { return !tags_.empty(); }
  // Element of the fingerprint of a row with variable fields; 0 = of its shape.
  std::uint64_t Element(std::int64_t row) const;

 private:
  void ApplyEvents(const Row& row, Call& call);
  LoadedProcess& loaded_;
  std::vector<Row> moved_rows_;
  absl::flat_hash_map<std::int64_t, std::vector<const Event*>> events_;
  absl::flat_hash_map<std::int64_t, Tag> tags_;
  absl::flat_hash_map<std::int64_t, std::uint64_t> elements_;
  absl::flat_hash_map<std::int64_t, std::vector<const CellView*>> values_;
};

}  // namespace rollcall::analyzer
