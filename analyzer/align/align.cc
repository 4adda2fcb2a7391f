#include "analyzer/align/align.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rollcall::analyzer {
namespace {

// More differing positions than this are not collected: the first ones tell.
constexpr std::size_t kMaxPositions = 4096;

const Process& ProcessOf(const Job& job, const Participant& member) {
  return job.processes[static_cast<std::size_t>(member.process)];
}

struct Differences {
  std::set<std::int64_t> agreement;  // positions where arguments or operations differ
  std::set<std::int64_t> site;       // where only the site differs
  std::map<std::pair<int, int>, std::set<std::int64_t>> site_pairs;
};

void Compare(const Job& job, const Participant& reference, const Participant& member,
             const CallClasses& classes, Differences* differences) {
  const std::int64_t begin = std::max(reference.first_position, member.first_position);
  const std::int64_t end = std::min(EndPosition(job, reference), EndPosition(job, member));
  for (std::int64_t position = begin; position < end; ++position) {
    const Call* a = CallAt(job, reference, position);
    const Call* b = CallAt(job, member, position);
    if (a == nullptr || b == nullptr) continue;
    const int class_a = classes.Of(reference.process, *a), class_b = classes.Of(member.process, *b);
    if (class_a == class_b) continue;
    if (classes.at(class_a).agreement != classes.at(class_b).agreement) {
      differences->agreement.insert(position);
      if (differences->agreement.size() > kMaxPositions) return;
      continue;
    }
    const int site_a = classes.at(class_a).site, site_b = classes.at(class_b).site;
    if (site_a == kNoSite || site_b == kNoSite || differences->site.size() > kMaxPositions)
      continue;
    differences->site.insert(position);
    differences->site_pairs[{site_a, site_b}].insert(position);
  }
}

Divergence MakeDivergence(const Job& job, int communicator, std::int64_t position,
                          const CallClasses& classes) {
  Divergence divergence;
  divergence.communicator = communicator;
  divergence.position = position;
  divergence.all_completed = true;
  std::map<int, std::vector<int>> by_class;
  const std::vector<Participant>& members =
      job.communicators[static_cast<std::size_t>(communicator)].members;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Call* call = CallAt(job, members[m], position);
    if (call == nullptr) continue;
    by_class[classes.Of(members[m].process, *call)].push_back(static_cast<int>(m));
    if (call->state != CallState::kCompleted && call->state != CallState::kUnwatched)
      divergence.all_completed = false;
  }
  divergence.only_site = true;
  for (auto& [call_class, group] : by_class) {
    if (classes.at(call_class).agreement != classes.at(by_class.begin()->first).agreement)
      divergence.only_site = false;
    divergence.groups.push_back({call_class, std::move(group)});
  }
  // With other arguments, places in the code do not split a group: they are two branches of one
  // call.
  if (!divergence.only_site) {
    std::vector<Group> merged;
    for (Group& group : divergence.groups) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Group& other) {
        return classes.at(other.call_class).agreement == classes.at(group.call_class).agreement;
      });
      if (same == merged.end()) {
        merged.push_back(std::move(group));
      } else {
        same->members.insert(same->members.end(), group.members.begin(), group.members.end());
      }
    }
    for (Group& group : merged) {
      std::sort(group.members.begin(), group.members.end());
      const Participant& first = members[static_cast<std::size_t>(group.members.front())];
      group.call_class = classes.Of(first.process, *CallAt(job, first, position));
    }
    divergence.groups = std::move(merged);
  }
  std::sort(divergence.groups.begin(), divergence.groups.end(), [](const Group& a, const Group& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size()
                                                : a.members < b.members;
  });
  return divergence;
}

// A difference of arguments that went through, with the ranks in step again behind it.
bool InStepAgain(const Divergence& divergence, const CallClasses& classes) {
  if (!divergence.all_completed) return false;
  const Operation operation = classes.AgreementAt(divergence.groups.front().call_class).operation;
  return std::all_of(divergence.groups.begin(), divergence.groups.end(), [&](const Group& group) {
    return classes.AgreementAt(group.call_class).operation == operation;
  });
}

// The maker made one call more: its calls from the next position on are those of the others from
// this one on.
bool Shifted(const Job& job, const Participant& maker, const Participant& other,
             std::int64_t position, const CallClasses& classes) {
  constexpr std::int64_t kWindow = 4;
  std::int64_t compared = 0;
  for (std::int64_t i = 0; i < kWindow; ++i) {
    const Call* ahead = CallAt(job, maker, position + 1 + i);
    const Call* here = CallAt(job, other, position + i);
    if (ahead == nullptr || here == nullptr) break;
    if (classes.Of(maker.process, *ahead) != classes.Of(other.process, *here)) return false;
    ++compared;
  }
  return compared > 0;
}

}  // namespace

const Call* CallAt(const Job& job, const Participant& member, std::int64_t position) {
  if (member.process < 0 || member.calls.empty() || position < member.first_position)
    return nullptr;
  const std::vector<Call>& calls = ProcessOf(job, member).calls;
  const auto at = [&](std::size_t i) { return &calls[static_cast<std::size_t>(member.calls[i])]; };
  const auto index = static_cast<std::size_t>(position - member.first_position);
  if (index < member.calls.size() && at(index)->position == position) return at(index);
  // A damaged block left a gap.
  const auto found =
      std::lower_bound(member.calls.begin(), member.calls.end(), position,
                       [&](std::int64_t call, std::int64_t wanted) {
                         return calls[static_cast<std::size_t>(call)].position < wanted;
                       });
  if (found == member.calls.end()) return nullptr;
  const Call* call = &calls[static_cast<std::size_t>(*found)];
  return call->position == position ? call : nullptr;
}

std::int64_t EndPosition(const Job& job, const Participant& member) {
  if (member.process < 0 || member.calls.empty()) return member.first_position;
  return ProcessOf(job, member).calls[static_cast<std::size_t>(member.calls.back())].position + 1;
}

Alignment Align(const Job& job, int communicator, const CallClasses& classes,
                const SiteTable& sites) {
  Alignment alignment;
  const std::vector<Participant>& members =
      job.communicators[static_cast<std::size_t>(communicator)].members;
  const Participant* reference = nullptr;
  for (const Participant& member : members) {
    if (member.process < 0 || member.calls.empty()) continue;
    if (reference == nullptr ||
        std::pair(member.first_position, -EndPosition(job, member)) <
            std::pair(reference->first_position, -EndPosition(job, *reference))) {
      reference = &member;
    }
  }
  if (reference == nullptr) return alignment;
  Differences differences;
  for (const Participant& member : members) {
    if (&member != reference && member.process >= 0)
      Compare(job, *reference, member, classes, &differences);
  }

  std::set<std::pair<int, int>> reported;  // one finding for all rounds of a loop
  for (const std::int64_t position : differences.agreement) {
    Divergence divergence = MakeDivergence(job, communicator, position, classes);
    if (!InStepAgain(divergence, classes)) {
      alignment.first.push_back(std::move(divergence));
      break;
    }
    const auto key = std::pair(classes.at(divergence.groups[0].call_class).site,
                               classes.at(divergence.groups[1].call_class).site);
    if (reported.insert(key).second) alignment.silent.push_back(std::move(divergence));
  }

  // Equal calls from two places: two branches of one call, unless they are shifted against each
  // other, which shows in the end, or meet only once and in two functions.
  const bool parts_later =
      !alignment.first.empty() ||
      std::any_of(members.begin(), members.end(), [&](const Participant& member) {
        return member.process >= 0 && EndPosition(job, member) != EndPosition(job, *reference);
      });
  for (const std::int64_t position : differences.site) {
    if (!alignment.first.empty() && position >= alignment.first.front().position) break;
    Divergence divergence = MakeDivergence(job, communicator, position, classes);
    if (divergence.groups.size() < 2) continue;
    const auto& [class_a, group_a] = divergence.groups[0];
    const auto& [class_b, group_b] = divergence.groups[1];
    const Participant& a = members[static_cast<std::size_t>(group_a.front())];
    const Participant& b = members[static_cast<std::size_t>(group_b.front())];
    if (parts_later &&
        (Shifted(job, a, b, position, classes) || Shifted(job, b, a, position, classes))) {
      alignment.first.assign(1, std::move(divergence));
      break;
    }
    const int site_a = classes.at(class_a).site, site_b = classes.at(class_b).site;
    if (sites.SameFunction(site_a, site_b)) continue;
    const auto forwards = differences.site_pairs.find({site_a, site_b});
    const auto backwards = differences.site_pairs.find({site_b, site_a});
    const std::size_t times =
        (forwards == differences.site_pairs.end() ? 0 : forwards->second.size()) +
        (backwards == differences.site_pairs.end() ? 0 : backwards->second.size());
    if (times > 1) continue;
    if (divergence.all_completed) {
      alignment.silent.push_back(std::move(divergence));
    } else {
      alignment.first.assign(1, std::move(divergence));
      break;
    }
  }
  std::sort(alignment.silent.begin(), alignment.silent.end(),
            [](const Divergence& a, const Divergence& b) { return a.position < b.position; });
  return alignment;
}

}  // namespace rollcall::analyzer
