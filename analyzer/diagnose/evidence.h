// What every finding shows: the calls of both sides, the places in the code, who waits where. Kinds
// of finding add what is theirs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/diagnose/examination.h"
#include "report.pb.h"

namespace rollcall::analyzer {

Finding NewFinding(const char* kind, const char* severity);

// Global ranks of members of a communicator, sorted.
std::vector<int> RanksOf(const Examination& exam, int communicator,
                         const std::vector<int>& members);
// Global ranks of processes, sorted.
std::vector<int> RanksOfProcesses(const Examination& exam, const std::vector<int>& processes);
void SetRanks(const std::vector<int>& ranks, Finding* finding);
std::vector<int> Ranks(const Finding& finding);
std::vector<int> Victims(const Finding& finding);

// Everybody who waits, or died of waiting, but for the ranks of the finding themselves.
void AddVictims(const Examination& exam, Finding* finding);

// Communicator and position, the calls of its members there, and where each rank was; deviating
// ranks' sites first.
void AddPlace(const Examination& exam, int communicator, std::int64_t position, Finding* finding);

void AddCallAndSite(const Examination& exam, int process, const Call& call, Finding* finding);

// The call in which a process is stuck, and where it is.
void AddStuck(const Examination& exam, int process, Finding* finding);

// The same for a rendezvous or the construction of a group.
void AddStart(const Examination& exam, const Start& start, Finding* finding);

// Where a process is, or was when its part ended.
struct Place {
  int site = kNoSite;
  bool of_last_call = false;  // nothing better is known than where it made its last call
  bool of_exception = false;
  std::int64_t since_ns = 0;  // when its last call ended; 0 = unknown
};
Place PlaceOf(const Examination& exam, int process);

// The place in the code of one process, beside those that AddPlace shows.
void AddSiteOf(const Examination& exam, int process, int site, Finding* finding);

// Two snapshots behind its last call show its main thread at different places: it is busy, not
// stuck.
bool MakesProgress(const Examination& exam, int process);

// Where it was, by snapshot, between its earlier calls and this one; kNoSite = there is none.
int SiteBefore(const Examination& exam, int process, const Call& call);

// The last call of the process that is not part of the job's start; null = none.
const Call* LastCall(const Examination& exam, int process);

// "train.py:41 in main()"; "an unknown place".
std::string SiteWords(const Examination& exam, int site);
// "train.py:41".
std::string SiteLine(const Examination& exam, int site);
// "barrier", "allreduce in loss.backward()".
std::string CallName(const Examination& exam, int process, const Call& call);
// "allreduce of 1024 f32 (sum)".
std::string CallWords(const Examination& exam, int process, const Call& call);
// "in the world", "in communicator tp".
std::string CommunicatorWords(const Examination& exam, int communicator);

// "ranks 0, 1, 3 wait in barrier at train.py:57": those present in the absence; "" = nobody waits.
std::string WaitingWords(const Examination& exam, const Absence& absence);

// What is to be said of single ranks, such as {0, "alive at train.py:7"}: those of whom it is the
// same share a line of `why`.
using RankRemark = std::pair<int, std::string>;
void AddRemarks(const std::vector<RankRemark>& remarks, Finding* finding);

// "the last call that ended did so 31 s before the last sign of life"; "" = not known.
std::string SinceLastCall(const Examination& exam, int process);

// Sentences for `why`: who waits how long, the last common call.
void AddWaitingEvidence(const Examination& exam, const Absence& absence, Finding* finding);
void AddLastCommonCall(const Examination& exam, int communicator, std::int64_t position,
                       Finding* finding);
void AddTie(const Divergence& divergence, Finding* finding);

}  // namespace rollcall::analyzer
