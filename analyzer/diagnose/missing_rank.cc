// missing_rank: a rank never entered a call that the others wait in. It lives; its stack says
// where. Or it has no trace at all: then nobody is named, and `limits` says who could not be seen.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/absent.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/kinds.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

// The functions that were left between the last call and where the rank is now, as far as the
// others still are in them.
bool LeftTheirFunction(const Examination& exam, int process, int their_site) {
  const Place place = PlaceOf(exam, process);
  const Call* last = LastCall(exam, process);
  if (last == nullptr || place.of_last_call || place.site == kNoSite || their_site == kNoSite)
    return false;
  const int last_site = exam.sites.OfCall(process, *last);
  if (last_site == kNoSite) return false;
  const auto has = [&](int site, const Frame& wanted) {
    const std::vector<Frame>& frames = exam.sites.at(site).frames;
    return std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
      return frame.file == wanted.file && frame.function == wanted.function;
    });
  };
  const Frame& theirs = exam.sites.at(their_site).where();
  return has(last_site, theirs) && !has(place.site, theirs);
}

// of_many: told of the first of several ranks.
std::string WhereItIs(const Examination& exam, int process, bool of_many) {
  const Place place = PlaceOf(exam, process);
  const Process& of = exam.process(process);
  const bool alive = of.end.kind == EndKind::kAlive && !of.end.exiting;
  const char* is = of_many && alive                ? "they are alive"
                   : alive                         ? "it is alive"
                   : exam.ending(process).with_job ? "it was alive until the job was ended"
                                                   : "how it ended is not known";
  if (place.site == kNoSite) return is;
  const std::string first = of_many ? absl::StrCat(", rank ", of.rank) : "";
  if (!place.of_last_call)
    return absl::StrCat(is, first, alive || of_many ? " at " : ", at ",
                        SiteWords(exam, place.site));
  const Call* last = LastCall(exam, process);
  return absl::StrCat(
      is,
      of_many ? absl::StrCat(", the last call of rank ", of.rank, " was ") : ", its last call was ",
      CallName(exam, process, *last), " at ", SiteWords(exam, place.site));
}

// Those missing are on a machine of their own.
void AddSharedHost(const Examination& exam, const Absence& absence, const std::vector<int>& missing,
                   Finding* finding) {
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  const auto host = [&](int m) -> const std::string& {
    return exam.process(members[static_cast<std::size_t>(m)].process).host;
  };
  const std::string& first = host(missing.front());
  const auto there = [&](int m) { return host(m) == first; };
  if (missing.size() < 2 || !std::all_of(missing.begin(), missing.end(), there) ||
      std::any_of(absence.present.begin(), absence.present.end(), there))
    return;
  finding->add_why(absl::StrCat("all of them are on host ", first, ", and nobody else is"));
}

Finding Unseen(const Examination& exam, const Absence& absence) {
  Finding finding = NewFinding("missing_rank", "error");
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);
  finding.set_message(absl::StrCat(WaitingWords(exam, absence), " for ",
                                   RankWords(RanksOf(exam, absence.communicator, absence.unseen)),
                                   ", not visible here: no rank that is visible broke step"));
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(absl::StrCat(
      "Add the traces of ", RankWords(RanksOf(exam, absence.communicator, absence.unseen)),
      " (other machines, other folders) and analyze again. A rank that died before its first call "
      "leaves no trace: look at its output."));
  return finding;
}

}  // namespace

std::optional<Finding> MissingRank(const Examination& exam, const Absence& absence) {
  std::vector<int> missing = AbsentAlive(exam, absence);
  std::erase_if(missing, [&](int m) {  // late, not missing
    const Participant& member =
        exam.communicator(absence.communicator).members[static_cast<std::size_t>(m)];
    return MakesProgress(exam, member.process);
  });
  if (missing.empty() && absence.absent.empty() && !absence.unseen.empty() && absence.waiting)
    return Unseen(exam, absence);
  if (missing.empty()) return std::nullopt;
  const std::vector<Participant>& members = exam.communicator(absence.communicator).members;
  Finding finding = NewFinding("missing_rank", "error");
  SetRanks(RanksOf(exam, absence.communicator, missing), &finding);
  AddVictims(exam, &finding);
  AddPlace(exam, absence.communicator, absence.position, &finding);

  const Participant& waiter = members[static_cast<std::size_t>(absence.present.front())];
  const Call* call = CallAt(exam.job, waiter, absence.position);
  const int their_site = call == nullptr ? kNoSite : exam.sites.OfCall(waiter.process, *call);
  const int first = members[static_cast<std::size_t>(missing.front())].process;
  const bool returned = std::all_of(missing.begin(), missing.end(), [&](int m) {
    return LeftTheirFunction(exam, members[static_cast<std::size_t>(m)].process, their_site);
  });
  finding.set_returned_early(returned);
  const std::string never = absl::StrCat(
      "never entered ", call == nullptr ? "the call" : CallName(exam, waiter.process, *call));
  finding.set_message(absl::StrCat(
      RankWords(Ranks(finding)), " ",
      returned ? absl::StrCat("returned early: left ", exam.sites.at(their_site).where().function,
                              "() and ", never)
               : never,
      ": ", WhereItIs(exam, first, missing.size() > 1), "; ", WaitingWords(exam, absence), " for ",
      Duration(absence.waited_ns)));
  if (2 * missing.size() > members.size())
    finding.add_why("most ranks are missing: their number alone says nothing of who is wrong");
  std::vector<RankRemark> remarks;
  for (const int m : missing) {
    const int p = members[static_cast<std::size_t>(m)].process;
    const std::string since = SinceLastCall(exam, p);
    const std::string& exception = exam.process(p).end.exception;
    remarks.emplace_back(exam.process(p).rank, WhereItIs(exam, p, false));
    if (!since.empty()) remarks.emplace_back(exam.process(p).rank, since);
    if (!exception.empty())
      remarks.emplace_back(exam.process(p).rank,
                           absl::StrCat("had an exception before: ", exception));
  }
  AddRemarks(remarks, &finding);
  AddSharedHost(exam, absence, missing, &finding);
  AddWaitingEvidence(exam, absence, &finding);
  AddLastCommonCall(exam, absence.communicator, absence.position, &finding);
  finding.set_advice(
      "See what this rank does at its line: work that only one rank does (saving, validating, "
      "loading, compiling), a wait for something "
      "else, or a path without the call. If the work is meant to take so long, raise the timeout; "
      "else make the call on every rank.");
  return finding;
}

}  // namespace rollcall::analyzer
