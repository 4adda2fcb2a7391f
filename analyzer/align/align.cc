#include "analyzer/align/align.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/align/captures.h"
#include "analyzer/align/splits.h"

namespace rollcall::analyzer {
namespace {

// More differing positions than this are not collected: the first ones tell.
constexpr std::size_t kMaxPositions = 4096;

using SitePair = std::pair<int, int>;  // the smaller first

SitePair PairOf(int a, int b) {
  return std::minmax(a, b);
}

class Aligner {
 public:
  Aligner(const Job& job, int communicator, const CallClasses& classes, const SiteTable& sites)
      : job_(job),
        communicator_(communicator),
        classes_(classes),
        sites_(sites),
        members_(job.communicators[static_cast<std::size_t>(communicator)].members) {}

  Alignment Run();

 private:
  const Participant* Reference() const;
  void Compare(const Participant& reference, const Participant& member);
  void Judge(std::int64_t position);
  void JudgeSplits(const Participant& reference);
  void JudgeCaptures(const Participant& reference);
  void JudgeArguments(Divergence divergence);
  void JudgePlaces(Divergence divergence);
  bool Shifted(const Divergence& divergence) const;
  std::int64_t SwappedWith(const Divergence& divergence) const;

  const Job& job_;
  int communicator_;
  const CallClasses& classes_;
  const SiteTable& sites_;
  const std::vector<Participant>& members_;
  // Positions at which some member differs from the reference: in arguments; in the place alone.
  std::set<std::int64_t> arguments_, places_;
  std::map<SitePair, std::set<std::int64_t>> pairs_;
  bool parts_later_ = false;     // arguments differ somewhere, or some made more calls
  std::int64_t behind_ = 0;      // positions before it are explained
  std::set<SitePair> told_;      // one finding for all rounds of a loop
  std::set<SitePair> branches_;  // places that were equal in step
  Alignment alignment_;
};

const Participant* Aligner::Reference() const {
  const Participant* reference = nullptr;
  for (const Participant& member : members_) {
    if (member.process < 0 || member.calls.empty()) continue;
    if (reference == nullptr ||
        std::pair(member.first_position, -EndPosition(job_, member)) <
            std::pair(reference->first_position, -EndPosition(job_, *reference)))
      reference = &member;
  }
  return reference;
}

void Aligner::Compare(const Participant& reference, const Participant& member) {
  const std::int64_t begin = std::max(reference.first_position, member.first_position);
  const std::int64_t end = std::min(EndPosition(job_, reference), EndPosition(job_, member));
  std::size_t arguments = 0, places = 0;
  for (std::int64_t position = begin; position < end; ++position) {
    const Call* a = CallAt(job_, reference, position);
    const Call* b = CallAt(job_, member, position);
    if (a == nullptr || b == nullptr) continue;
    const int class_a = classes_.Of(reference.process, *a),
              class_b = classes_.Of(member.process, *b);
    if (class_a == class_b) continue;
    if (classes_.at(class_a).agreement != classes_.at(class_b).agreement) {
      // Who finalizes has ended its part: it lacks the others' call (analyzer/match).
      if ((classes_.AgreementAt(class_a).operation == OPERATION_FINALIZE) !=
          (classes_.AgreementAt(class_b).operation == OPERATION_FINALIZE)) {
        parts_later_ = true;
        return;
      }
      arguments_.insert(position);
      if (++arguments > kMaxPositions) return;
      continue;
    }
    const int site_a = classes_.at(class_a).site, site_b = classes_.at(class_b).site;
    if (site_a == kNoSite || site_b == kNoSite || ++places > kMaxPositions) continue;
    places_.insert(position);
    pairs_[PairOf(site_a, site_b)].insert(position);
  }
}

// They part in a call that some made and others did not, although it went through here: then all
// calls behind it are from equal places.
bool Aligner::Shifted(const Divergence& divergence) const {
  return std::any_of(divergence.scripts.begin(), divergence.scripts.end(), [](const auto& script) {
    return script.resynchronised() && script.Shift() != 0 && script.other_places == 0 &&
           (script.Begins(EditKind::kInserted) || script.Begins(EditKind::kMissing));
  });
}

void Aligner::JudgeArguments(Divergence divergence) {
  const SitePair pair = PairOf(classes_.at(divergence.groups[0].call_class).site,
                               classes_.at(divergence.groups[1].call_class).site);
  // A later round of what is told, with agreement right behind it.
  if (divergence.all_completed && told_.count(pair) != 0 &&
      arguments_.count(divergence.position + 1) == 0)
    return;
  Explain(job_, classes_, sites_, &divergence);
  const std::int64_t behind_places = behind_;
  if (!InStepAgain(job_, divergence, &behind_)) {
    const bool parted_before = !alignment_.silent.empty() && alignment_.silent.back().only_site &&
                               behind_places == divergence.position;
    if (parted_before) {
      // They parted in the equal calls right before it, which still went through.
      alignment_.silent.back().stuck_position = divergence.position;
      divergence = std::move(alignment_.silent.back());
      alignment_.silent.pop_back();
    }
    alignment_.first.assign(1, std::move(divergence));
  } else if (told_.insert(pair).second) {
    divergence.stuck_position = -1;  // whatever hangs later, it does not hang for this
    alignment_.silent.push_back(std::move(divergence));
  }
}

// Calls that are equal but for their place, here one and there the other, with the same members on
// each side shortly behind: made in another order. Branches of one call recur, and the same way
// round. Returns that position; -1 = they are not.
std::int64_t Aligner::SwappedWith(const Divergence& divergence) const {
  constexpr std::int64_t kSwapWindow = 8;
  if (divergence.groups.size() != 2) return -1;
  const Group &a = divergence.groups[0], &b = divergence.groups[1];
  const int site_a = classes_.at(a.call_class).site, site_b = classes_.at(b.call_class).site;
  // Who takes turns in two places is a tie over many rounds. A barrier has no values to mix up.
  const auto pair = pairs_.find(PairOf(site_a, site_b));
  const bool turns = divergence.tie() && (pair == pairs_.end() || pair->second.size() > 2);
  const bool barrier = classes_.AgreementAt(a.call_class).operation == OPERATION_BARRIER ||
                       sites_.at(site_a).collective == "barrier";
  if (turns || barrier || sites_.SameFunction(site_a, site_b)) return -1;
  for (auto next = places_.upper_bound(divergence.position);
       next != places_.end() && *next <= divergence.position + kSwapWindow; ++next) {
    const Divergence behind = MakeDivergence(job_, communicator_, *next, classes_);
    if (behind.only_site && behind.groups.size() == 2 && behind.groups[0].members == a.members &&
        behind.groups[1].members == b.members && behind.groups[0].call_class == b.call_class &&
        behind.groups[1].call_class == a.call_class)
      return *next;
  }
  return -1;
}

// Equal calls from two places are two branches of one call, unless they are shifted against each
// other, which shows in the end, or meet only once and in two functions.
void Aligner::JudgePlaces(Divergence divergence) {
  const int site_a = classes_.at(divergence.groups[0].call_class).site,
            site_b = classes_.at(divergence.groups[1].call_class).site;
  if (branches_.count(PairOf(site_a, site_b)) != 0) return;
  const bool branches =
      sites_.SameFunction(site_a, site_b) || pairs_[PairOf(site_a, site_b)].size() > 1;
  if (parts_later_ || !branches) Explain(job_, classes_, sites_, &divergence);
  if ((parts_later_ || !branches) && Shifted(divergence)) {
    alignment_.first.assign(1, std::move(divergence));
    return;
  }
  if (const std::int64_t other = SwappedWith(divergence); other >= 0) {
    const std::int64_t here = divergence.position;
    divergence.scripts.assign(2, {});
    divergence.scripts[1].edits = {{EditKind::kSwapped, here, other},
                                   {EditKind::kSwapped, other, here}};
    divergence.only_site = false;
    branches_.insert(PairOf(site_a, site_b));  // one finding for all rounds
    divergence.all_completed = divergence.all_completed &&
                               MakeDivergence(job_, communicator_, other, classes_).all_completed;
    std::vector<Divergence>& to = divergence.all_completed ? alignment_.silent : alignment_.first;
    to.push_back(std::move(divergence));
    return;
  }
  if (branches) {
    branches_.insert(PairOf(site_a, site_b));
  } else if (!divergence.all_completed) {
    alignment_.first.assign(1, std::move(divergence));
  } else {
    divergence.stuck_position = -1;
    // One path that differs makes one finding, however many calls are on it.
    const bool goes_on = !alignment_.silent.empty() && alignment_.silent.back().only_site &&
                         behind_ == divergence.position;
    behind_ = alignment_.behind_passed = divergence.position + 1;
    if (goes_on) return;
    alignment_.passed.assign(1, divergence);
    alignment_.silent.push_back(std::move(divergence));
  }
}

void Aligner::Judge(std::int64_t position) {
  if (position < behind_) return;
  Divergence divergence = MakeDivergence(job_, communicator_, position, classes_);
  if (divergence.groups.size() < 2) return;
  if (divergence.only_site) {
    JudgePlaces(std::move(divergence));
  } else {
    JudgeArguments(std::move(divergence));
  }
}

// Of all-to-alls that agree in everything else, before positions lose their meaning.
void Aligner::JudgeSplits(const Participant& reference) {
  std::set<std::vector<std::uint32_t>> agreed;  // shapes of all members
  const Process& process = job_.processes[static_cast<std::size_t>(reference.process)];
  for (const std::int64_t index : reference.calls) {
    const Call& call = process.calls[static_cast<std::size_t>(index)];
    const std::int64_t position = call.position;
    if (!alignment_.first.empty() && position >= alignment_.first.front().position) return;
    if (process.shapes[call.shape].operation != OPERATION_ALLTOALL ||
        arguments_.count(position) != 0)
      continue;
    std::vector<std::uint32_t> shapes;
    bool varies = false;
    for (const Participant& member : members_) {
      const Call* of = CallAt(job_, member, position);
      shapes.push_back(of == nullptr ? UINT32_MAX : of->shape);
      varies = varies || (of != nullptr && of->splits >= 0);
    }
    if (!varies && !agreed.insert(shapes).second) continue;
    std::optional<SplitsMismatch> mismatch = CompareSplits(job_, communicator_, position);
    if (!mismatch.has_value()) continue;
    Divergence divergence = MakeDivergence(job_, communicator_, position, classes_);
    divergence.scripts.assign(divergence.groups.size(), {});
    divergence.splits.push_back(*std::move(mismatch));
    divergence.only_site = false;
    if (divergence.all_completed) {
      alignment_.silent.push_back(std::move(divergence));
    } else {
      alignment_.first.assign(1, std::move(divergence));
      return;
    }
  }
}

// Of calls that agree in everything else but the place, before positions lose their meaning. One
// finding for all of them.
void Aligner::JudgeCaptures(const Participant& reference) {
  if (!AnyReplays(job_, communicator_)) return;
  Divergence found;
  const std::int64_t end = EndPosition(job_, reference);
  for (std::int64_t position = reference.first_position; position < end; ++position) {
    if (!alignment_.first.empty() && !alignment_.first.front().only_site &&
        position >= alignment_.first.front().position)
      break;
    if (arguments_.count(position) != 0) continue;
    std::vector<Group> groups = GroupsByCapture(job_, communicator_, position, classes_);
    if (groups.empty()) continue;
    // The same call from another place is this one, not one more.
    std::erase_if(alignment_.silent, [&](const Divergence& silent) {
      return silent.only_site && silent.position == position;
    });
    const bool completed = MakeDivergence(job_, communicator_, position, classes_).all_completed;
    if (found.groups.empty()) {
      found.communicator = communicator_;
      found.position = position;
      found.scripts.assign(groups.size(), {});
      found.groups = std::move(groups);
      found.only_capture = true;
      found.all_completed = completed;
    }
    if (completed) continue;
    found.stuck_position = position;
    alignment_.first.assign(1, std::move(found));
    return;
  }
  if (!found.groups.empty()) alignment_.silent.push_back(std::move(found));
}

Alignment Aligner::Run() {
  const Participant* reference = Reference();
  if (reference == nullptr) return {};
  for (const Participant& member : members_) {
    if (&member == reference || member.process < 0) continue;
    Compare(*reference, member);
    parts_later_ = parts_later_ || EndPosition(job_, member) != EndPosition(job_, *reference);
  }
  parts_later_ = parts_later_ || !arguments_.empty();
  std::set<std::int64_t> positions = arguments_;
  positions.insert(places_.begin(), places_.end());
  for (const std::int64_t position : positions) {
    if (!alignment_.first.empty()) break;
    Judge(position);
  }
  JudgeSplits(*reference);
  JudgeCaptures(*reference);
  std::stable_sort(
      alignment_.silent.begin(), alignment_.silent.end(),
      [](const Divergence& a, const Divergence& b) { return a.position < b.position; });
  return std::move(alignment_);
}

}  // namespace

Alignment Align(const Job& job, int communicator, const CallClasses& classes,
                const SiteTable& sites) {
  return Aligner(job, communicator, classes, sites).Run();
}

}  // namespace rollcall::analyzer
