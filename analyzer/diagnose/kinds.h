// The kinds of finding, and the order in which they are asked. One file per kind; to add one: write
// the file, declare its check here, and give it a row in kinds.cc at its place in the order.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/diagnose/examination.h"
#include "report.pb.h"

namespace rollcall::analyzer {

// One side of a divergence against the other: those who deviate, and those they are compared with.
struct Sides {
  const Divergence& divergence;
  const Group& deviators;
  const Group& others;
  EditScript script;  // what the deviators did against the others
};

struct Kind {
  const char* name;
  // What makes positions meaningless: asked of the job as a whole. Any finding here is the last
  // word.
  std::vector<Finding> (*start)(const Examination&) = nullptr;
  // Calls differ at a position; the first kind that fits is the finding. `sides` is asked once for
  // each way to see it: a majority is compared with, in a tie both.
  std::optional<Finding> (*sides)(const Examination&, const Sides&) = nullptr;
  // Asked with the majority as deviators too.
  bool both_ways = false;
  // As above, for kinds that take the divergence as a whole.
  std::optional<Finding> (*divergence)(const Examination&, const Divergence&) = nullptr;
  // Some members have no call at a position, or ended in it. All that fit are findings, unless one
  // says that it is the only one.
  std::optional<Finding> (*absence)(const Examination&, const Absence&) = nullptr;
  bool only = false;
  // Ranks are stuck for good, and nothing above explains it. The first that fits.
  std::optional<Finding> (*leftover)(const Examination&) = nullptr;
  // True whatever else is found: it may explain the first finding, and stands behind it.
  std::optional<Finding> (*beside)(const Examination&) = nullptr;
  // Nobody waited, and still something ended badly.
  std::optional<Finding> (*quiet)(const Examination&) = nullptr;
};

const std::vector<Kind>& Kinds();

// Checks, by file.
std::vector<Finding> DuplicateRank(const Examination& exam);
std::vector<Finding> WorldSize(const Examination& exam);
std::vector<Finding> KilledAtStart(const Examination& exam);
std::vector<Finding> FailedAtStart(const Examination& exam);
std::vector<Finding> LeftAtStart(const Examination& exam);
std::vector<Finding> DuplicateDevice(const Examination& exam);
std::vector<Finding> ParametersDiffer(const Examination& exam);
std::vector<Finding> InitIncomplete(const Examination& exam);
std::optional<Finding> InitWithoutNames(const Examination& exam);
std::optional<Finding> UnevenRounds(const Examination& exam, const Sides& sides);
std::optional<Finding> ExtraCall(const Examination& exam, const Sides& sides);
std::optional<Finding> ExtraCallOfFew(const Examination& exam, const Absence& absence);
std::optional<Finding> SkippedCall(const Examination& exam, const Sides& sides);
std::optional<Finding> OrderMismatch(const Examination& exam, const Divergence& divergence);
std::optional<Finding> ArgMismatch(const Examination& exam, const Divergence& divergence);
std::optional<Finding> SiteMismatch(const Examination& exam, const Divergence& divergence);
std::optional<Finding> OpMismatch(const Examination& exam, const Divergence& divergence);
std::optional<Finding> Killed(const Examination& exam, const Absence& absence);
std::optional<Finding> KilledQuietly(const Examination& exam);
std::optional<Finding> EarlyExit(const Examination& exam, const Absence& absence);
std::optional<Finding> FailedQuietly(const Examination& exam);
std::optional<Finding> DeadlockCycle(const Examination& exam, const Absence& absence);
std::optional<Finding> CycleOfPartners(const Examination& exam);
std::optional<Finding> LatentCycle(const Examination& exam);
std::optional<Finding> P2pMismatch(const Examination& exam);
std::optional<Finding> P2pSilentMismatch(const Examination& exam);
std::optional<Finding> P2pUnmatched(const Examination& exam);
std::optional<Finding> UnseenPartner(const Examination& exam);
std::optional<Finding> MissingRank(const Examination& exam, const Absence& absence);
std::optional<Finding> LateRank(const Examination& exam, const Absence& absence);
std::optional<Finding> Aborted(const Examination& exam, const Absence& absence);
std::optional<Finding> GroupMisuse(const Examination& exam, const Absence& absence);
std::optional<Finding> MisuseBeforeDivergence(const Examination& exam,
                                              const Divergence& divergence);
std::optional<Finding> RaceOfThreads(const Examination& exam, const Divergence& divergence);
std::optional<Finding> MisuseQuietly(const Examination& exam);
std::optional<Finding> DeviceStall(const Examination& exam, const Absence& absence);
std::optional<Finding> LateQuietly(const Examination& exam);
std::optional<Finding> NoGradientSync(const Examination& exam);
std::optional<Finding> DoubleGradientSync(const Examination& exam);
std::optional<Finding> AllEntered(const Examination& exam, const Absence& absence);
std::optional<Finding> AllInCreation(const Examination& exam);
std::optional<Finding> NothingCompletes(const Examination& exam);
std::optional<Finding> EnvironmentMismatch(const Examination& exam);

}  // namespace rollcall::analyzer
