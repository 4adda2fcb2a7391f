// The words of the scenario language, and what they stand for in traces.
#pragma once

#include <string>
#include <vector>

#include "analyzer/scenario/scenario.h"

namespace rollcall::analyzer::scenario {

// What an operation wants behind its name.
enum Wants : unsigned {
  kWantsData = 1,    // COUNT DATATYPE
  kWantsRedop = 2,   // a reduce operation; sum if there is none
  kWantsRoot = 4,    // root=
  kWantsTo = 8,      // to=
  kWantsFrom = 16,   // from=
  kWantsSize = 32,   // size=
  kWantsColor = 64,  // color=
  kWantsWithout = 128,
  kWantsName = 256,  // a name as first word
};

struct VerbWord {
  const char* word;
  Verb verb;
  Operation operation;  // of kCall
  unsigned wants;
  // The frame of the framework that makes the call: file below the packages, and function; "" =
  // none.
  const char* file;
  const char* function;
};

const std::vector<VerbWord>& VerbWords();
const VerbWord* FindVerb(const std::string& word);  // nullptr = none

// UNKNOWN and NONE for other words.
Datatype DatatypeOf(const std::string& word);
ReduceOperation RedopOf(const std::string& word);
std::uint32_t BytesOf(Datatype datatype);
int SignalOf(const std::string& word);  // 0 = none

// For messages and for nearest words.
std::vector<std::string> KnownVerbs();
std::vector<std::string> KnownDatatypes();
std::vector<std::string> KnownRedops();
std::vector<std::string> KnownSignals();

}  // namespace rollcall::analyzer::scenario
