#include "analyzer/diagnose/evidence.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// Calls and sites of more ranks than this are not listed one by one: they are the same few over and
// over.
constexpr int kMaxSides = 256;

void AddCall(const Examination& exam, int rank, int process, const Call& call, Finding* finding) {
  const Shape& shape = exam.ShapeOf(process, call);
  CallSide* side = finding->add_calls();
  side->set_rank(rank);
  side->set_operation(OperationWord(shape.operation));
  side->set_count(call.count);
  side->set_datatype(DatatypeWord(shape.datatype));
  side->set_redop(RedopWord(shape.redop));
  side->set_root(shape.root.value_or(-1));
  side->set_state(StateWord(call.state));
  side->set_seconds_in_call(static_cast<double>(NsInCall(exam.job, process, call)) / 1e9);
}

void AddSite(const Examination& exam, int rank, int site, Finding* finding) {
  if (site == kNoSite) return;
  const Site& of = exam.sites.at(site);
  SiteSide* side = finding->add_sites();
  side->set_rank(rank);
  side->set_file(of.where().file);
  side->set_line(of.where().line);
  side->set_function(of.where().function);
  side->set_api(of.api);
  for (std::size_t i = 0; i < of.frames.size(); ++i) {
    FrameSide* to = side->add_frames();
    to->set_file(of.frames[i].file);
    to->set_line(of.frames[i].line);
    to->set_function(of.frames[i].function);
    to->set_path(of.paths[i]);
  }
}

}  // namespace

Finding NewFinding(const char* kind, const char* severity) {
  Finding finding;
  finding.set_kind(kind);
  finding.set_severity(severity);
  finding.set_position(-1);
  return finding;
}

std::vector<int> RanksOf(const Examination& exam, int communicator,
                         const std::vector<int>& members) {
  std::set<int> ranks;
  for (const int m : members)
    ranks.insert(exam.RankOf(exam.communicator(communicator).members[static_cast<std::size_t>(m)]));
  return {ranks.begin(), ranks.end()};
}

std::vector<int> RanksOfProcesses(const Examination& exam, const std::vector<int>& processes) {
  std::vector<int> ranks;
  for (const int p : processes)
    ranks.push_back(exam.process(p).rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void SetRanks(const std::vector<int>& ranks, Finding* finding) {
  const std::set<int> sorted(ranks.begin(), ranks.end());
  finding->mutable_ranks()->Assign(sorted.begin(), sorted.end());
}

std::vector<int> Ranks(const Finding& finding) {
  return {finding.ranks().begin(), finding.ranks().end()};
}

std::vector<int> Victims(const Finding& finding) {
  return {finding.victims().begin(), finding.victims().end()};
}

void AddVictims(const Examination& exam, Finding* finding) {
  std::set<int> victims;
  for (const int p : exam.processes()) {
    const int rank = exam.process(p).rank;
    if (rank < 0 || std::count(finding->ranks().begin(), finding->ranks().end(), rank) != 0)
      continue;
    const bool reacted = exam.ending(p).part == Part::kReaction;
    const Call* stuck = StuckIn(exam.process(p));
    // What was aborted under its hands was a wait, whatever it did then.
    const bool aborted = stuck != nullptr && stuck->state == CallState::kAborted;
    if (reacted || aborted || (!exam.ending(p).own() && stuck != nullptr)) victims.insert(rank);
  }
  finding->mutable_victims()->Assign(victims.begin(), victims.end());
}

void AddPlace(const Examination& exam, int communicator, std::int64_t position, Finding* finding) {
  const Communicator& of = exam.communicator(communicator);
  finding->set_communicator(of.name);
  finding->set_position(position);
  std::vector<const Participant*> members;
  for (const Participant& member : of.members) {
    if (member.process >= 0) members.push_back(&member);
  }
  const auto is_cause = [&](const Participant* member) {
    return std::count(finding->ranks().begin(), finding->ranks().end(), exam.RankOf(*member)) != 0;
  };
  std::stable_sort(members.begin(), members.end(), [&](const Participant* a, const Participant* b) {
    return exam.RankOf(*a) < exam.RankOf(*b);
  });
  std::vector<const Participant*> causes_first = members;
  std::stable_partition(causes_first.begin(), causes_first.end(), is_cause);
  for (const Participant* member : causes_first) {
    const Call* call = CallAt(exam.job, *member, position);
    if (call != nullptr && finding->calls_size() < kMaxSides)
      AddCall(exam, exam.RankOf(*member), member->process, *call, finding);
  }
  std::sort(finding->mutable_calls()->begin(), finding->mutable_calls()->end(),
            [](const CallSide& a, const CallSide& b) { return a.rank() < b.rank(); });
  for (const Participant* member : causes_first) {
    if (finding->sites_size() >= kMaxSides) break;
    const Call* call = CallAt(exam.job, *member, position);
    const Place place = PlaceOf(exam, member->process);
    // Under NCCL a process may end far behind a call that is still queued.
    const bool ended_behind = call != nullptr && call->state == CallState::kPending &&
                              exam.ending(member->process).own() && !place.of_last_call;
    const int site =
        call != nullptr && !ended_behind ? exam.sites.OfCall(member->process, *call) : place.site;
    AddSite(exam, exam.RankOf(*member), site, finding);
  }
}

void AddCallAndSite(const Examination& exam, int process, const Call& call, Finding* finding) {
  if (finding->calls_size() >= kMaxSides) return;
  const int rank = exam.process(process).rank;
  AddCall(exam, rank, process, call, finding);
  AddSite(exam, rank, exam.sites.OfCall(process, call), finding);
}

void AddStuck(const Examination& exam, int process, Finding* finding) {
  const int rank = exam.process(process).rank;
  const Call* call = exam.ending(process).own() ? nullptr : StuckIn(exam.process(process));
  if (call != nullptr) AddCall(exam, rank, process, *call, finding);
  const int site =
      call != nullptr ? exam.sites.OfCall(process, *call) : PlaceOf(exam, process).site;
  AddSite(exam, rank, site, finding);
}

void AddStart(const Examination& exam, const Start& start, Finding* finding) {
  if (start.communicator >= 0)
    finding->set_communicator(exam.communicator(start.communicator).name);
  for (const StartCall& of : start.calls) {
    if (finding->calls_size() >= kMaxSides) break;
    const int rank = exam.process(of.process).rank;
    AddCall(exam, rank, of.process, *of.call, finding);
    AddSite(exam, rank, exam.sites.OfCall(of.process, *of.call), finding);
  }
}

void AddSiteOf(const Examination& exam, int process, int site, Finding* finding) {
  if (finding->sites_size() < kMaxSides) AddSite(exam, exam.process(process).rank, site, finding);
}

bool MakesProgress(const Examination& exam, int process) {
  const Process& of = exam.process(process);
  if (of.end.kind != EndKind::kAlive) return false;
  const Call* last = LastCall(exam, process);
  int before = -1;
  for (const Snapshot& snapshot : of.snapshots) {
    if (last != nullptr && snapshot.ns < std::max(last->entered_ns, last->completed_ns)) continue;
    if (snapshot.threads.empty() || snapshot.threads.front().python_stack < 0) continue;
    const int stack = snapshot.threads.front().python_stack;
    if (before >= 0 && stack != before) return true;
    before = stack;
  }
  return false;
}

int SiteBefore(const Examination& exam, int process, const Call& call) {
  const Process& of = exam.process(process);
  const std::int64_t earlier = &call == of.calls.data() ? 0 : (&call)[-1].entered_ns;
  for (auto snapshot = of.snapshots.rbegin(); snapshot != of.snapshots.rend(); ++snapshot) {
    if (snapshot->ns >= call.entered_ns) continue;
    if (snapshot->ns < earlier) break;
    for (const SnapshotThread& thread : snapshot->threads) {
      const int site = exam.sites.OfPythonStack(process, thread.python_stack);
      if (site != kNoSite) return site;
    }
  }
  return kNoSite;
}

const Call* LastCall(const Examination& exam, int process) {
  const std::vector<Call>& calls = exam.process(process).calls;
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const Call& call) {
    const Shape& shape = exam.ShapeOf(process, call);
    return shape.operation != OPERATION_RENDEZVOUS && (shape.flags & FLAG_INTERNAL) == 0;
  });
  return found != calls.rend() ? &*found : calls.empty() ? nullptr : &calls.back();
}

Place PlaceOf(const Examination& exam, int process) {
  const Process& of = exam.process(process);
  Place place;
  const Call* last = LastCall(exam, process);
  if (last != nullptr)
    place.since_ns = last->completed_ns != 0 ? last->completed_ns : last->entered_ns;
  if (exam.ending(process).part == Part::kRaised) {
    place.site = exam.sites.OfPythonStack(process, of.end.exception_stack);
    place.of_exception = place.site != kNoSite;
    if (place.of_exception) return place;
  }
  // The newest snapshot behind the last call: of its threads the first one in the user's code, the
  // main thread before others.
  for (auto snapshot = of.snapshots.rbegin(); snapshot != of.snapshots.rend(); ++snapshot) {
    if (last != nullptr && snapshot->ns < last->entered_ns) break;
    for (const SnapshotThread& thread : snapshot->threads) {
      place.site = exam.sites.OfPythonStack(process, thread.python_stack);
      if (place.site != kNoSite) return place;
    }
  }
  place.of_last_call = true;
  if (last != nullptr) place.site = exam.sites.OfCall(process, *last);
  return place;
}

}  // namespace rollcall::analyzer
