// init_incomplete: a rendezvous, or the construction of a group, that not all ranks joined, or that
// failed on some.
#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/start_failure.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// Those still inside, where others have come out: nobody is absent, and it is not complete. Who is
// not visible has been in it, too. The process that serves the rendezvous waits for those inside.
std::vector<int> StillIn(const Examination& exam, const Start& start) {
  std::vector<int> inside, clients;
  for (const StartCall& of : start.calls) {
    if (!IsUnfinished(exam.process(of.process), *of.call)) continue;
    inside.push_back(of.process);
    if (start.communicator < 0 && !Serves(exam.process(of.process))) clients.push_back(of.process);
  }
  const bool some_out =
      std::any_of(start.calls.begin(), start.calls.end(),
                  [](const StartCall& of) { return of.call->state == CallState::kCompleted; });
  if (!some_out) return {};
  return clients.empty() ? inside : clients;
}

bool Has(const std::vector<int>& numbers, int number) {
  return std::count(numbers.begin(), numbers.end(), number) != 0;
}

// The other construction in which an absent rank waits, where the two miss each other: they mean
// the same group, and differ in its id or size. Null = there is none.
const Start* TheirOwn(const Examination& exam, const Start& start, int p) {
  for (const Start& other : exam.starts) {
    if (&other == &start || other.communicator < 0 || start.communicator < 0) continue;
    const bool in_it =
        std::any_of(other.calls.begin(), other.calls.end(), [&](const StartCall& of) {
          return of.process == p && IsUnfinished(exam.process(p), *of.call);
        });
    if (!in_it) continue;
    const Communicator &a = exam.communicator(start.communicator),
                       &b = exam.communicator(other.communicator);
    const bool miss = std::any_of(start.calls.begin(), start.calls.end(), [&](const StartCall& of) {
      return Has(other.absent, exam.process(of.process).rank);
    });
    if (miss || a.digest == b.digest || (!a.name.empty() && a.name == b.name)) return &other;
  }
  return nullptr;
}

// A file that does not say whose it is: nobody without a trace can be named by elimination.
bool HasFileOfUnknownRank(const Job& job) {
  return std::any_of(job.inputs.begin(), job.inputs.end(), [&](const InputFile& input) {
    if (input.state == "complete" || input.state == "foreign") return false;
    return input.process < 0 || job.processes[static_cast<std::size_t>(input.process)].rank < 0;
  });
}

struct Absentees {
  std::vector<int> named;      // ranks
  bool other_id = false;       // some are in a construction of their own
  bool all_elsewhere = false;  // they wait in other calls: their waits are to be followed
};

// Where they look for the rendezvous, if that differs.
void AddEndpoints(const Examination& exam, const Start& start, Finding* finding) {
  std::map<std::string, std::vector<int>> ranks;
  if (start.communicator >= 0) return;
  for (const StartCall& of : start.calls)
    ranks[EndpointOf(exam.process(of.process))].push_back(exam.process(of.process).rank);
  if (ranks.size() < 2) return;
  for (auto& [endpoint, of] : ranks) {
    std::sort(of.begin(), of.end());
    if (!endpoint.empty() && finding->why_size() < 16)
      finding->add_why(absl::StrCat(RankWords(of), Verb(of, " looks", " look"),
                                    " for the rendezvous at ", endpoint));
  }
}

// Those absent that can be named: who is visible and waits nowhere else, and who is not visible if
// it can be nobody else.
Absentees NamedAbsent(const Examination& exam, const Start& start) {
  Absentees absentees;
  std::vector<int> elsewhere, larger, smaller;
  for (const int p : exam.processes()) {
    const int rank = exam.process(p).rank;
    if (!Has(start.absent, rank) || exam.ending(p).breaks_off) continue;
    const Start* own = TheirOwn(exam, start, p);
    if (own != nullptr) {
      (own->calls.size() > start.calls.size() ? larger : smaller).push_back(rank);
      if (own->calls.size() == start.calls.size()) {
        for (const StartCall& of : start.calls)
          smaller.push_back(exam.process(of.process).rank);
      }
    } else if (exam.waits.Waiting(p, start.communicator)) {
      elsewhere.push_back(rank);
    } else {
      absentees.named.push_back(rank);
    }
  }
  absentees.other_id = absentees.named.empty() && !smaller.empty();
  if (absentees.named.empty()) absentees.named = smaller;
  if (!absentees.named.empty()) {
    std::sort(absentees.named.begin(), absentees.named.end());
    return absentees;
  }
  absentees.all_elsewhere = !elsewhere.empty() || !larger.empty();
  const bool only_one = start.absent.size() == 1 && start.unnamed == 0;
  const bool has_trace = std::any_of(exam.processes().begin(), exam.processes().end(), [&](int p) {
    return Has(start.absent, exam.process(p).rank);
  });
  if (only_one && !has_trace && !HasFileOfUnknownRank(exam.job)) absentees.named = start.absent;
  return absentees;
}

struct Parts {
  std::vector<int> absent;             // ranks
  bool other_id = false;               // some of them are in one with another id
  std::vector<int> inside, differing;  // processes
};

std::string NeverJoined(const Start& start, const std::vector<int>& named,
                        const std::vector<int>& here, const std::string& name) {
  const std::string waits =
      absl::StrCat(name, ": it waits for ", start.size, " ranks, and ", here.size(),
                   Verb(here, " is there (", " are there ("), RankWords(here), ")");
  if (!named.empty()) return absl::StrCat(RankWords(named), " never joined ", waits);
  if (start.absent.empty() || start.unnamed > 0)
    return absl::StrCat("not all ranks joined ", waits, "; who is missing stands in no trace");
  return absl::StrCat("at least one of ", RankWords(start.absent),
                      ", which are not visible here, never joined ", waits);
}

void AddAbsent(const Examination& exam, const Start& start, Finding* finding) {
  for (const int rank : start.absent) {
    if (finding->why_size() > 8) return;
    const auto found = std::find_if(exam.processes().begin(), exam.processes().end(),
                                    [&](int p) { return exam.process(p).rank == rank; });
    if (found == exam.processes().end() || exam.ending(*found).breaks_off) {
      finding->add_why(absl::StrCat("rank ", rank, " is not visible here: it has no ",
                                    found == exam.processes().end() ? "trace" : "whole trace"));
      continue;
    }
    const Call* in = StuckIn(exam.process(*found));
    finding->add_why(
        in != nullptr && exam.ShapeOf(*found, *in).operation == OPERATION_INIT
            ? absl::StrCat("rank ", rank, " is in a construction of its own, with another id, at ",
                           SiteWords(exam, exam.sites.OfCall(*found, *in)))
            : absl::StrCat("rank ", rank, " runs, but never came to this point: it is at ",
                           SiteWords(exam, PlaceOf(exam, *found).site)));
  }
}

std::string Advice(const Examination& exam, const Start& start, const Parts& parts) {
  if (!parts.differing.empty())
    return start.communicator < 0
               ? "Give every process the same WORLD_SIZE: the number of processes on all machines "
                 "together."
               : "Pass the same list of ranks, or the same size, on all members of the group.";
  if (parts.other_id)
    return "Make the id of the communicator on one rank (ncclGetUniqueId), and send that one to "
           "all others before they join; a second call on another rank makes another id.";
  const bool of_group = start.communicator >= 0 && !exam.communicator(start.communicator).is_world;
  if (parts.inside.empty() && of_group)
    return "Let all members come to this place: new_group() and splits are calls of all ranks of "
           "the parent group, in one order, also of those that are no members. See what those who "
           "are missing do at their lines.";
  if (parts.inside.empty())
    return "Compare WORLD_SIZE with the number of processes that were started; check RANK, "
           "MASTER_ADDR and MASTER_PORT on every machine, and the output of the ranks that are "
           "not there: they may have died before they could join.";
  if (start.communicator >= 0)
    return "Look at the network of those that are still in it: firewalls between the machines, "
           "and the interface that the library chose (GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME). "
           "NCCL_DEBUG=INFO says whom they connect to.";
  const std::string endpoint = EndpointOf(exam.process(parts.inside.front()));
  std::string command = "nc -zv ADDRESS PORT";
  if (!endpoint.empty())
    command =
        absl::StrCat("nc -zv ", endpoint.substr(0, endpoint.rfind(':')), " ", PortOf(endpoint));
  return absl::StrCat(
      "Set MASTER_ADDR and MASTER_PORT as on the others, and see there that the "
      "machine of rank 0 can be reached: `",
      command, "`.");
}

Finding Incomplete(const Examination& exam, const Start& start, const Parts& parts) {
  Finding finding = NewFinding("init_incomplete", "error");
  std::vector<int> ranks = parts.absent;
  for (const std::vector<int>& of : {parts.inside, parts.differing}) {
    const std::vector<int> more = RanksOfProcesses(exam, of);
    ranks.insert(ranks.end(), more.begin(), more.end());
  }
  SetRanks(ranks, &finding);
  AddVictims(exam, &finding);
  AddStart(exam, start, &finding);
  std::vector<int> present;
  for (const StartCall& of : start.calls)
    present.push_back(of.process);
  const std::vector<int> here = RanksOfProcesses(exam, present);
  for (const int p : exam.processes()) {
    const bool named = std::count(ranks.begin(), ranks.end(), exam.process(p).rank) != 0;
    if (named && std::count(present.begin(), present.end(), p) == 0) AddStuck(exam, p, &finding);
  }
  const StartCall& first = start.calls.front();
  const std::string name =
      absl::StrCat(StartName(exam, start), " at ",
                   SiteWords(exam, exam.sites.OfCall(first.process, *first.call)));
  if (!parts.differing.empty()) {
    finding.set_message(absl::StrCat(RankWords(Ranks(finding)),
                                     Verb(Ranks(finding), " asks", " ask"), " in ", name,
                                     " for another size than others"));
    for (const StartCall& of : start.calls) {
      if (finding.why_size() < 16)
        finding.add_why(absl::StrCat("rank ", exam.process(of.process).rank, " asks for ",
                                     of.call->count, " ranks"));
    }
  } else if (!parts.inside.empty()) {
    finding.set_message(absl::StrCat(RankWords(Ranks(finding)), " did not get through ", name,
                                     " in ", Duration(start.waited_ns), ", and others did"));
  } else {
    finding.set_message(NeverJoined(start, parts.absent, here, name));
  }
  finding.add_why(absl::StrCat(RankWords(here), Verb(here, " has", " have"), " been in ", name,
                               " for up to ", Duration(start.waited_ns)));
  AddEndpoints(exam, start, &finding);
  AddAbsent(exam, start, &finding);
  const std::string& told = exam.process(first.process).Setting("env.WORLD_SIZE");
  if (!told.empty() && told != absl::StrCat(exam.processes().size()))
    finding.add_why(absl::StrCat("WORLD_SIZE is ", told, " and ", exam.processes().size(),
                                 " processes are visible"));
  finding.set_advice(Advice(exam, start, parts));
  return finding;
}

// Members that ask for another size than most; in a tie all.
std::vector<int> OtherSizes(const Start& start) {
  std::map<std::uint64_t, std::vector<int>> by_size;
  for (const StartCall& of : start.calls)
    by_size[of.call->count].push_back(of.process);
  std::size_t most = 0;
  for (const auto& [size, processes] : by_size)
    most = std::max(most, processes.size());
  const auto largest = std::count_if(by_size.begin(), by_size.end(),
                                     [&](const auto& of) { return of.second.size() == most; });
  std::vector<int> others;
  for (const auto& [size, processes] : by_size) {
    if (largest > 1 || processes.size() < most)
      others.insert(others.end(), processes.begin(), processes.end());
  }
  return others;
}

// Older versions of PyTorch end the construction of each group with a barrier of the whole world,
// over the store: no call that is recorded. Where a process stands in one; kNoSite = in none.
int InStoreBarrier(const Examination& exam, int p) {
  const Process& process = exam.process(p);
  if (exam.ending(p).part == Part::kReaction &&
      absl::StrContains(process.end.exception, "in store based barrier"))
    return exam.sites.OfPythonStack(p, process.end.exception_stack);
  const Call* last = LastCall(exam, p);
  if (process.snapshots.empty() || StuckIn(process) != nullptr || exam.ending(p).own())
    return kNoSite;
  const Snapshot& snapshot = process.snapshots.back();
  const std::int64_t since =
      last == nullptr ? process.started_ns : std::max(last->entered_ns, last->completed_ns);
  if (snapshot.ns < since || process.last_sign_ns - since < exam.PatienceNs()) return kNoSite;
  for (const SnapshotThread& thread : snapshot.threads) {
    if (thread.python_stack < 0) continue;
    const auto& frames =
        process.python_stacks[static_cast<std::size_t>(thread.python_stack)].frames;
    const bool in_it = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
      return frame.function == "_store_based_barrier";
    });
    if (in_it) return exam.sites.OfPythonStack(p, thread.python_stack);
  }
  return kNoSite;
}

// Some wait in the barrier of a construction, and the others, who wait for nobody, never came to
// it.
std::vector<Finding> StoreBarrier(const Examination& exam) {
  std::vector<int> waiting, others;
  for (const int p : exam.processes()) {
    if (exam.ending(p).breaks_off) continue;
    (InStoreBarrier(exam, p) != kNoSite ? waiting : others).push_back(p);
  }
  const bool others_free = std::all_of(others.begin(), others.end(), [&](int p) {
    const Part part = exam.ending(p).part;
    return StuckIn(exam.process(p)) == nullptr && (part == Part::kLeft || part == Part::kRunning);
  });
  if (waiting.empty() || others.empty() || !others_free) return {};
  Finding finding = NewFinding("init_incomplete", "error");
  SetRanks(RanksOfProcesses(exam, others), &finding);
  const std::vector<int> victims = RanksOfProcesses(exam, waiting);
  finding.mutable_victims()->Assign(victims.begin(), victims.end());
  for (const int p : others)
    AddStuck(exam, p, &finding);
  for (const int p : waiting) {
    const std::vector<Call>& calls = exam.process(p).calls;
    const auto made = std::find_if(calls.rbegin(), calls.rend(), [&](const Call& call) {
      return exam.ShapeOf(p, call).operation == OPERATION_INIT;
    });
    if (made != calls.rend()) AddCallAndSite(exam, p, *made, &finding);
    if (made == calls.rend()) AddSiteOf(exam, p, InStoreBarrier(exam, p), &finding);
  }
  const std::string where = SiteWords(exam, InStoreBarrier(exam, waiting.front()));
  const std::vector<int> ranks = Ranks(finding);
  finding.set_message(absl::StrCat(
      RankWords(ranks), " never came to the construction of a group at ", where, ", where ",
      RankWords(victims), Verb(victims, " waits", " wait"), " for all ranks of the world"));
  finding.add_why(
      "this version of PyTorch ends new_group() with a barrier of the whole world, over the store: "
      "all ranks have to call it, members or not");
  std::vector<RankRemark> remarks;
  for (const int p : others) {
    const Ending& ending = exam.ending(p);
    remarks.emplace_back(exam.process(p).rank,
                         absl::StrCat(ending.how.empty() ? "is" : "ended: ", ending.how,
                                      ending.how.empty() ? " at " : ", at ",
                                      SiteWords(exam, PlaceOf(exam, p).site)));
  }
  for (const int p : waiting) {
    if (!exam.ending(p).reaction_text.empty())
      remarks.emplace_back(exam.process(p).rank,
                           "gave up with a timeout of the library; this is a "
                           "consequence, not the cause");
  }
  AddRemarks(remarks, &finding);
  finding.set_advice(
      "Call new_group() on all ranks, in one order, with the same list of ranks, also on those "
      "that "
      "are no members.");
  return {finding};
}

}  // namespace

std::vector<Finding> InitIncomplete(const Examination& exam) {
  for (const Start& start : exam.starts) {
    if (!exam.Definite(start)) continue;
    Parts parts;
    if (start.sizes_differ) {
      parts.differing = OtherSizes(start);
      return {Incomplete(exam, start, parts)};
    }
    if (!start.absent.empty() || start.unnamed > 0) {
      const Absentees absentees = NamedAbsent(exam, start);
      parts.absent = absentees.named;
      parts.other_id = absentees.other_id;
      if (!parts.absent.empty()) return {Incomplete(exam, start, parts)};
      continue;
    }
    parts.inside = StillIn(exam, start);
    if (!parts.inside.empty()) return {Incomplete(exam, start, parts)};
  }
  return StoreBarrier(exam);
}

std::optional<Finding> InitWithoutNames(const Examination& exam) {
  for (const Start& start : exam.starts) {
    if (!exam.Definite(start) || (start.absent.empty() && start.unnamed == 0)) continue;
    if (!NamedAbsent(exam, start).all_elsewhere) return Incomplete(exam, start, {});
  }
  return std::nullopt;
}

}  // namespace rollcall::analyzer
