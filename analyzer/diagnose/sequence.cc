#include "analyzer/diagnose/sequence.h"

#include <algorithm>
#include <set>

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
      if (exam.sites.OfShape(p, shape) == site) return true;
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

void FillMismatch(const Examination& exam, const Divergence& divergence,
                  const std::vector<Group>& deviators, Finding* finding) {
  std::vector<int> ranks;
  for (const Group& group : deviators) {
    const std::vector<int> of = RanksOf(exam, divergence.communicator, group.members);
    ranks.insert(ranks.end(), of.begin(), of.end());
  }
  SetRanks(ranks, finding);
  AddVictims(exam, finding);
  if (finding->victims().empty() && !divergence.all_completed) {
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
  if (divergence.all_completed) {
    finding->add_why(
        "the calls completed on all ranks: nothing hangs, but the values that they left are wrong");
  }
  AddTie(divergence, finding);
  AddLastCommonCall(exam, divergence.communicator, divergence.position, finding);
}

bool Reordered(const Examination& exam, const Sides& sides) {
  constexpr std::int64_t kWindow = 8;
  std::multiset<int> deviating, other;
  for (std::int64_t i = 0; i < kWindow; ++i) {
    const std::int64_t position = sides.divergence.position + i;
    const int a = ClassAt(exam, sides, sides.deviators, position),
              b = ClassAt(exam, sides, sides.others, position);
    if (a == kNoClass || b == kNoClass) return false;
    deviating.insert(a);
    other.insert(b);
    if (i > 0 && deviating == other) return true;
  }
  return false;
}

}  // namespace rollcall::analyzer
