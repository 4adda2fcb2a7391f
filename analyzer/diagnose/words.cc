#include "analyzer/diagnose/words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rollcall::analyzer {
namespace {

std::string Word(const std::string& name, std::size_t prefix) {
  return absl::AsciiStrToLower(name.size() > prefix ? name.substr(prefix) : name);
}

}  // namespace

std::string RankNumbers(const std::vector<int>& ranks) {
  if (ranks.empty()) return "none";
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    if (end - begin >= 3) {
      parts.push_back(absl::StrCat(ranks[begin], "-", ranks[end - 1]));
    } else {
      for (std::size_t i = begin; i < end; ++i)
        parts.push_back(absl::StrCat(ranks[i]));
    }
    begin = end;
  }
  return absl::StrJoin(parts, ", ");
}

std::string RankWords(const std::vector<int>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ", RankNumbers(ranks));
}

std::string Verb(const std::vector<int>& ranks, const char* one, const char* many) {
  return ranks.size() == 1 ? one : many;
}

std::string OperationWord(Operation operation) {
  return Word(Operation_Name(operation), sizeof("OPERATION_") - 1);
}

std::string DatatypeWord(Datatype datatype) {
  return datatype == DATATYPE_UNKNOWN ? "" : Word(Datatype_Name(datatype), sizeof("DATATYPE_") - 1);
}

std::string RedopWord(ReduceOperation operation) {
  return operation == REDUCE_OPERATION_NONE
             ? ""
             : Word(ReduceOperation_Name(operation), sizeof("REDUCE_OPERATION_") - 1);
}

std::string StateWord(CallState state) {
  switch (state) {
    case CallState::kPending:
      return "pending";
    case CallState::kCompleted:
      return "completed";
    case CallState::kFailed:
      return "failed";
    case CallState::kAborted:
      return "aborted";
    case CallState::kDiscarded:
      return "discarded";
    case CallState::kUnwatched:
      break;
  }
  return "unknown";
}

std::string Duration(std::int64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds < 9.95) return absl::StrFormat("%.1f s", seconds);
  if (seconds < 120) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 7200) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

}  // namespace rollcall::analyzer
