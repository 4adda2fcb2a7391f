// Faults that are put into a correct job, each with what a report has to say: derived from what was
// done and the decision table of docs/findings.md, not from how the analyzer finds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/generate/builder.h"
#include "tests/generate/expectation.h"

namespace rollcall::tests::generate {

struct Fault {
  const char* name;
  const char* kind;  // of the finding, for the score table
  // Changes the script; nullopt = the job has no place for it.
  std::optional<Expectation> (*inject)(Builder&);
};

// One of each is as likely as any other.
const std::vector<Fault>& Faults();

// faults_ends.cc: ranks that end or do not come.
std::optional<Expectation> ExitEarly(Builder& builder);
std::optional<Expectation> RaiseEarly(Builder& builder);
std::optional<Expectation> DestroyEarly(Builder& builder);
std::optional<Expectation> KillRank(Builder& builder);
std::optional<Expectation> StayAway(Builder& builder);
std::optional<Expectation> BeLate(Builder& builder);
std::optional<Expectation> KeepWorking(Builder& builder);

// faults_calls.cc: calls that differ.
std::optional<Expectation> MakeExtraCall(Builder& builder);
std::optional<Expectation> SkipCall(Builder& builder);
std::optional<Expectation> LeaveLoop(Builder& builder);
std::optional<Expectation> ChangeOperation(Builder& builder);
std::optional<Expectation> SwapCalls(Builder& builder);
std::optional<Expectation> CallFromElsewhere(Builder& builder);

// faults_arguments.cc
std::optional<Expectation> ChangeCount(Builder& builder);
std::optional<Expectation> ChangeDatatype(Builder& builder);
std::optional<Expectation> ChangeRedop(Builder& builder);
std::optional<Expectation> ChangeRoot(Builder& builder);
std::optional<Expectation> ChangeSplits(Builder& builder);

// faults_waits.cc: who waits for whom.
std::optional<Expectation> CrossCommunicators(Builder& builder);
std::optional<Expectation> FaceEachOther(Builder& builder);
std::optional<Expectation> LosePartner(Builder& builder);
std::optional<Expectation> ChangeTransferSize(Builder& builder);
std::optional<Expectation> ChangeTag(Builder& builder);
std::optional<Expectation> StallDevice(Builder& builder);
std::optional<Expectation> AbortAlone(Builder& builder);
std::optional<Expectation> LeaveGroupOpen(Builder& builder);
std::optional<Expectation> UseAfterDestroy(Builder& builder);

// faults_start.cc: who takes part.
std::optional<Expectation> MissCreation(Builder& builder);
std::optional<Expectation> DisagreeOnSize(Builder& builder);
std::optional<Expectation> FailCreation(Builder& builder);
std::optional<Expectation> MissRendezvous(Builder& builder);
std::optional<Expectation> ClaimRankTwice(Builder& builder);
std::optional<Expectation> BeAlone(Builder& builder);
std::optional<Expectation> ShareDevice(Builder& builder);
std::optional<Expectation> DifferInEnvironment(Builder& builder);

// faults_gradients.cc: values that are silently wrong.
std::optional<Expectation> ForgetGradients(Builder& builder);
std::optional<Expectation> ReduceTwice(Builder& builder);

}  // namespace rollcall::tests::generate
