// The words of reports: ranks, operations, durations. Lower case as in docs/report.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/job.h"

namespace rollcall::analyzer {

// "0, 1, 3", "0-87"; sorted input. "none" when empty.
std::string RankNumbers(const std::vector<int>& ranks);
// "rank 2", "ranks 0, 1, 3".
std::string RankWords(const std::vector<int>& ranks);
// The verb that goes with the ranks: Verb(ranks, "waits", "wait").
std::string Verb(const std::vector<int>& ranks, const char* one, const char* many);

std::string OperationWord(Operation operation);
std::string DatatypeWord(Datatype datatype);       // "" = unknown
std::string RedopWord(ReduceOperation operation);  // "" = none
std::string StateWord(CallState state);

// "0.4 s", "31 s", "12 min", "2.5 h".
std::string Duration(std::int64_t ns);

}  // namespace rollcall::analyzer
