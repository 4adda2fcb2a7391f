#include "analyzer/diagnose/sequence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/diagnose/evidence.h"
#include "analyzer/diagnose/words.h"

namespace rollcall::analyzer {
namespace {

const Participant& MemberOf(const Examination& exam, int communicator, int member) {
  return exam.communicator(communicator).members[static_cast<std::size_t>(member)];
}

std::string GroupCall(const Examination& exam, const Divergence& divergence, const Group& group) {
  const Participant& first = MemberOf(exam, divergence.communicator, group.members.front());
  const Call& call = *CallAt(exam.job, first, divergence.position);
  return absl::StrCat(CallWords(exam, first.process, call), " at ",
                      SiteWords(exam, exam.sites.OfCall(first.process, call)));
}

// What was raised and caught may be why a call is lacking.
void AddCaughtExceptions(const Examination& exam, const Divergence& divergence, const Group& group,
                         Finding* finding) {
  for (const int m : group.members) {
    const int p = MemberOf(exam, divergence.communicator, m).process;
    const std::string& exception = exam.process(p).end.exception;
    if (exception.empty() || exam.ending(p).part != Part::kRunning) continue;
    finding->add_why(
        absl::StrCat("rank ", exam.process(p).rank, " had an exception, and went on: ", exception));
  }
}

}  // namespace

int ClassAt(const Examination& exam, const Sides& sides, const Group& group,
            std::int64_t position) {
  const Participant& member = MemberOf(exam, sides.divergence.communicator, group.members.front());
  const Call* call = CallAt(exam.job, member, position);
  return call == nullptr ? kNoClass : exam.classes.Of(member.process, *call);
}

bool Knows(const Examination& exam, int communicator, const Group& group, int call_class) {
  const int site = exam.classes.at(call_class).site;
  return std::any_of(group.members.begin(), group.members.end(), [&](int m) {
    const int p = MemberOf(exam, communicator, m).process;
    const Process& process = exam.process(p);
    if (site == kNoSite) {
      return std::any_of(process.calls.begin(), process.calls.end(),
                         [&](const Call& call) { return exam.classes.Of(p, call) == call_class; });
    }
    // A shape is written with its first call.
    for (std::uint32_t shape = 0; shape < process.shapes.size(); ++shape) {
      const int known = exam.sites.OfShape(p, shape);
      if (known != kNoSite && exam.sites.PlaceOf(known) == exam.sites.PlaceOf(site)) return true;
    }
    return false;
  });
}

std::string AgainstEachOther(const Examination& exam, const Divergence& divergence,
                             const std::vector<Group>& deviators, const Group& others) {
  std::string words;
  for (const Group& group : deviators) {
    if (&group != &deviators.front() && words.size() > 300)
      return absl::StrCat(words, " and so on");
    const std::vector<int> ranks = RanksOf(exam, divergence.communicator, group.members);
    absl::StrAppend(&words, words.empty() ? "" : ", ", RankWords(ranks), " called ",
                    GroupCall(exam, divergence, group));
  }
  return absl::StrCat(words, " where ",
                      RankWords(RanksOf(exam, divergence.communicator, others.members)), " called ",
                      GroupCall(exam, divergence, others));
}

std::vector<Group> MinorityOf(const Divergence& divergence) {
  return {divergence.groups.begin() + 1, divergence.groups.end()};
}

std::vector<int> UnseenThatDecide(const Examination& exam, const Divergence& divergence) {
  const std::vector<Participant>& members = exam.communicator(divergence.communicator).members;
  std::vector<int> unseen;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Participant& member = members[m];
    if (CallAt(exam.job, member, divergence.position) != nullptr) continue;
    if (member.process < 0 || exam.ending(member.process).breaks_off ||
        divergence.position < member.first_position)
      unseen.push_back(static_cast<int>(m));
  }
  if (divergence.groups.size() < 2 ||
      divergence.groups[0].members.size() >= divergence.groups[1].members.size() + unseen.size())
    return {};
  return RanksOf(exam, divergence.communicator, unseen);
}

void StateUndecided(const Examination& exam, const Divergence& divergence, Finding* finding) {
  const std::vector<int> unseen = UnseenThatDecide(exam, divergence);
  if (unseen.empty()) return;
  finding->set_returned_early(false);
  finding->set_message(absl::StrCat(
      AgainstEachOther(exam, divergence, MinorityOf(divergence), divergence.groups.front()),
      "; which side broke step cannot be told without ", RankWords(unseen), ", not visible here"));
  finding->add_why(absl::StrCat(RankWords(unseen), ", not visible here, would tell"));
}

void FillMismatch(const Examination& exam, const Divergence& divergence,
                  const std::vector<Group>& deviators, Finding* finding) {
  std::vector<int> ranks;
  const bool undecided = !UnseenThatDecide(exam, divergence).empty();
  for (const Group& group : undecided ? divergence.groups : deviators) {
    const std::vector<int> of = RanksOf(exam, divergence.communicator, group.members);
    ranks.insert(ranks.end(), of.begin(), of.end());
  }
  SetRanks(ranks, finding);
  AddVictims(exam, finding);
  if (finding->victims().empty() && !divergence.went_well()) {
    for (const Group& group : divergence.groups) {
      for (const int rank : RanksOf(exam, divergence.communicator, group.members)) {
        const bool named = std::count(finding->ranks().begin(), finding->ranks().end(), rank) != 0;
        if (!named) finding->add_victims(rank);
      }
    }
    std::sort(finding->mutable_victims()->begin(), finding->mutable_victims()->end());
  }
  AddPlace(exam, divergence.communicator, divergence.position, finding);
  for (const Group& group : divergence.groups) {
    finding->add_why(absl::StrCat(RankWords(RanksOf(exam, divergence.communicator, group.members)),
                                  ": ", GroupCall(exam, divergence, group)));
  }
  if (divergence.went_well()) {
    finding->add_why(divergence.only_capture
                         ? "the calls completed on all ranks: nothing hangs this time"
                         : "the calls completed on all ranks: nothing hangs, but the values that "
                           "they left are wrong");
  } else if (divergence.all_completed) {
    finding->add_why(absl::StrCat(
        "these calls still went through, because the library does not compare them; it hangs at "
        "position ",
        divergence.stuck_position,
        divergence.only_capture ? "" : ", and the values in between are wrong"));
  }
  for (const Group& group : deviators)
    AddCaughtExceptions(exam, divergence, group, finding);
  AddTie(divergence, finding);
  AddLastCommonCall(exam, divergence.communicator, divergence.position, finding);
}

std::int64_t LeftOut(const Examination& exam, const Sides& sides) {
  // Of a loop whose end is not seen, more calls of the round and fewer of them look alike.
  const bool looks_alike =
      sides.script.Begins(EditKind::kInserted) && !sides.script.ends_together &&
      Knows(exam, sides.divergence.communicator, sides.others, sides.deviators.call_class);
  if (sides.script.resynchronised() && !looks_alike) {
    return sides.script.LeavesOut() && sides.script.Shift() < 0 ? sides.script.FirstRun() : 0;
  }
  const std::int64_t position = sides.divergence.position;
  const int call = sides.deviators.call_class;
  // An earlier round shows how it goes on.
  std::int64_t last = position - 1;
  for (; last >= 0; --last) {
    const int before = ClassAt(exam, sides, sides.others, last);
    if (before == kNoClass) return 0;
    if (before == sides.others.call_class) break;
  }
  for (std::int64_t at = last + 1; last >= 0 && at < position; ++at) {
    if (ClassAt(exam, sides, sides.others, at) == call) return at - last;
  }
  return 0;
}

bool Reordered(const EditScript& script) {
  return script.Has(EditKind::kSwapped) && script.Shift() == 0;
}

}  // namespace rollcall::analyzer
