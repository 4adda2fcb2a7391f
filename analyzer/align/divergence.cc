#include "analyzer/align/divergence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/align/program_order.h"
#include "analyzer/align/sequences.h"

namespace rollcall::analyzer {
namespace {

// Where every rank does something else, the first groups tell how.
constexpr std::size_t kMostGroups = 16;

const std::vector<Participant>& MembersOf(const Job& job, const Divergence& divergence) {
  return job.communicators[static_cast<std::size_t>(divergence.communicator)].members;
}

bool Completed(const Call& call) {
  return call.state == CallState::kCompleted || call.state == CallState::kUnwatched;
}

// Some member of the group has come to a call elsewhere that one of the others has not come to:
// what the group made behind it has no match there.
void CutWhatIsAhead(const Job& job, const std::vector<Participant>& members, const Group& group,
                    const Group& others, const SiteTable& sites, CallSequence* calls) {
  constexpr std::size_t kEnough = 8;  // of each: members of a group go the same way
  std::int64_t end = calls->begin + static_cast<std::int64_t>(calls->classes.size());
  bool ahead = false;
  for (std::size_t i = 0; i < std::min(group.members.size(), kEnough); ++i) {
    for (std::size_t j = 0; j < std::min(others.members.size(), kEnough); ++j) {
      const std::int64_t from =
          AheadFrom(job, members[static_cast<std::size_t>(group.members[i])],
                    members[static_cast<std::size_t>(others.members[j])], calls->begin, sites);
      if (from > end || (from == end && !calls->ends)) continue;
      ahead = true;
      end = from;
    }
  }
  if (!ahead) return;
  calls->classes.resize(static_cast<std::size_t>(end - calls->begin));
  calls->places.resize(calls->classes.size());
  calls->ends = true;
  calls->rest = 0;
  calls->blocked = false;
}

// Places in the code do not split a group whose arguments are equal: they are two branches of one
// call.
std::vector<Group> MergeByAgreement(const std::vector<Group>& groups, const CallClasses& classes) {
  std::vector<Group> merged;
  for (const Group& group : groups) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Group& other) {
      return classes.at(other.call_class).agreement == classes.at(group.call_class).agreement;
    });
    if (same == merged.end()) {
      merged.push_back(group);
    } else {
      same->members.insert(same->members.end(), group.members.begin(), group.members.end());
    }
  }
  return merged;
}

}  // namespace

Divergence MakeDivergence(const Job& job, int communicator, std::int64_t position,
                          const CallClasses& classes) {
  Divergence divergence;
  divergence.communicator = communicator;
  divergence.position = position;
  divergence.all_completed = true;
  const std::vector<Participant>& members = MembersOf(job, divergence);
  std::map<int, std::vector<int>> by_class;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Call* call = CallAt(job, members[m], position);
    if (call == nullptr) continue;
    by_class[classes.Of(members[m].process, *call)].push_back(static_cast<int>(m));
    divergence.all_completed = divergence.all_completed && Completed(*call);
  }
  divergence.only_site = true;
  for (auto& [call_class, group] : by_class) {
    if (classes.at(call_class).agreement != classes.at(by_class.begin()->first).agreement)
      divergence.only_site = false;
    divergence.groups.push_back({call_class, std::move(group)});
  }
  if (!divergence.only_site) {
    divergence.groups = MergeByAgreement(divergence.groups, classes);
    for (Group& group : divergence.groups) {
      std::sort(group.members.begin(), group.members.end());
      const Participant& first = members[static_cast<std::size_t>(group.members.front())];
      group.call_class = classes.Of(first.process, *CallAt(job, first, position));
    }
  }
  std::sort(divergence.groups.begin(), divergence.groups.end(), [](const Group& a, const Group& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size()
                                                : a.members < b.members;
  });
  return divergence;
}

EditScript CompareGroups(const Job& job, const Divergence& divergence, const Group& others,
                         const Group& deviators, const CallClasses& classes,
                         const SiteTable& sites) {
  const std::vector<Participant>& members = MembersOf(job, divergence);
  const auto first_of = [&](const Group& group) -> const Participant& {
    return members[static_cast<std::size_t>(group.members.front())];
  };
  CallSequence a = SequenceFrom(job, first_of(others), divergence.position, classes, sites);
  CallSequence b = SequenceFrom(job, first_of(deviators), divergence.position, classes, sites);
  if (StopAlike(job, first_of(others), first_of(deviators), sites)) a.blocked = b.blocked = false;
  CutWhatIsAhead(job, members, others, deviators, sites, &a);
  CutWhatIsAhead(job, members, deviators, others, sites, &b);
  return CompareSequences(a, b, classes);
}

void Explain(const Job& job, const CallClasses& classes, const SiteTable& sites,
             Divergence* divergence) {
  divergence->scripts.assign(1, {});
  for (std::size_t i = 1; i < divergence->groups.size(); ++i) {
    if (i > kMostGroups) {
      divergence->scripts.push_back(divergence->scripts[kMostGroups]);
      continue;
    }
    divergence->scripts.push_back(CompareGroups(job, *divergence, divergence->groups.front(),
                                                divergence->groups[i], classes, sites));
  }
  divergence->stuck_position = -1;
  for (const Participant& member : MembersOf(job, *divergence)) {
    if (member.process < 0) continue;
    const std::vector<Call>& calls = job.processes[static_cast<std::size_t>(member.process)].calls;
    for (const std::int64_t index : member.calls) {
      const Call& call = calls[static_cast<std::size_t>(index)];
      if (call.position < divergence->position || Completed(call)) continue;
      if (divergence->stuck_position < 0 || call.position < divergence->stuck_position)
        divergence->stuck_position = call.position;
      break;
    }
  }
}

bool InStepAgain(const Job& job, const Divergence& divergence, std::int64_t* behind) {
  std::int64_t end = divergence.position + 1;
  for (std::size_t i = 1; i < divergence.scripts.size(); ++i) {
    const EditScript& script = divergence.scripts[i];
    if (script.Shift() != 0 || (!script.resynchronised() && !script.ends_together)) return false;
    for (const Edit& edit : script.edits)
      end = std::max({end, edit.others_position + 1, edit.deviators_position + 1});
  }
  for (const Participant& member : MembersOf(job, divergence)) {
    for (std::int64_t at = divergence.position; at < end; ++at) {
      const Call* call = CallAt(job, member, at);
      if (call != nullptr && !Completed(*call)) return false;
    }
  }
  *behind = end;
  return true;
}

}  // namespace rollcall::analyzer
