// Dijkstra's search over the edit graph, sliding along equal calls for nothing. States are as many
// as the square of what differs at most.
#include "analyzer/align/edit_script.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace rollcall::analyzer {
namespace {

constexpr std::int64_t kEnoughMatched = 64;  // equal calls in a row: in step again
constexpr std::int64_t kNewRegion = 8;       // so many equal calls end the first region of edits
constexpr std::size_t kMaxStates = 1 << 15;  // then they are taken for unlike

// Costs. A call that one side does not know is more likely an intruder; one that both know is more
// likely left out than made twice. Other arguments at one place are one edit, not two.
constexpr int kOtherPlace = 2;      // equal arguments: two branches of one call
constexpr int kOtherArguments = 5;  // same operation, same place
constexpr int kOtherCall = 8;
constexpr int kUnknownInserted = 4, kKnownInserted = 7;
constexpr int kKnownMissing = 4, kUnknownMissing = 5;
// One side has calls behind the end of the other.
constexpr int kAhead = 4, kAheadCall = 4, kMaxAhead = 16;
constexpr int kMaxAheadOfBlocked = 3;
constexpr int kOneMoreMissing = 1;  // behind a missing call: whole rounds are left out at once
constexpr int kSingleMatch = 3;     // a shift that rests on one equal call, or on none
constexpr int kGreatestStep = kMaxAhead + kSingleMatch;

struct State {
  int others = 0, deviators = 0;  // calls consumed
  int parent = -1;
  EditKind kind = EditKind::kReplaced;
  bool edited = false;  // the step changed something that counts
  bool final = false;
  int run = 0;           // equal calls behind the edit
  int matched = 0;       // equal calls behind the first edit
  bool shifted = false;  // a call more or less is on the way
};

class Search {
 public:
  Search(const CallSequence& others, const CallSequence& deviators, const CallClasses& classes)
      : others_(others), deviators_(deviators), classes_(classes) {}

  EditScript Run();

 private:
  static bool IsInMissing(const State& state) {
    return state.edited && state.kind == EditKind::kMissing && state.run == 0;
  }
  void Push(State state, int cost);
  void PushEnd(const State& state, int index, int cost);
  void Expand(int index, int cost);
  int ReplaceCost(int others, int deviators) const;
  bool Knows(const CallSequence& side, const CallSequence& of, int index) const;
  EditScript Trace(int index, int cost) const;
  void TakeTailForSwapped(const State& end, EditScript* script) const;
  EditScript Unlike(int cost) const;
  int Others() const { return static_cast<int>(others_.classes.size()); }
  int Deviators() const { return static_cast<int>(deviators_.classes.size()); }
  int OthersAt(int i) const { return others_.classes[static_cast<std::size_t>(i)]; }
  int DeviatorsAt(int i) const { return deviators_.classes[static_cast<std::size_t>(i)]; }

  const CallSequence& others_;
  const CallSequence& deviators_;
  const CallClasses& classes_;
  std::vector<State> states_;
  std::array<std::vector<int>, kGreatestStep + 1> buckets_;  // by cost, in turn
  absl::flat_hash_set<std::pair<int, int>> done_;
};

// Does one side know the call at an index of the other?
bool Search::Knows(const CallSequence& side, const CallSequence& of, int index) const {
  const int place = of.places[static_cast<std::size_t>(index)];
  if (place != kNoSite) return side.known_places.contains(place);
  return std::find(side.classes.begin(), side.classes.end(),
                   of.classes[static_cast<std::size_t>(index)]) != side.classes.end();
}

int Search::ReplaceCost(int others, int deviators) const {
  const CallClass& a = classes_.at(others);
  const CallClass& b = classes_.at(deviators);
  if (a.agreement == b.agreement) return kOtherPlace;
  const bool same_operation =
      classes_.AgreementAt(others).operation == classes_.AgreementAt(deviators).operation;
  return same_operation && a.site == b.site ? kOtherArguments : kOtherCall;
}

void Search::Push(State state, int cost) {
  if (state.parent >= 0) {
    const State& parent = states_[static_cast<std::size_t>(state.parent)];
    state.matched = parent.matched;
    state.shifted = parent.shifted || state.kind != EditKind::kReplaced;
  }
  while (state.others < Others() && state.deviators < Deviators() &&
         OthersAt(state.others) == DeviatorsAt(state.deviators)) {
    ++state.others;
    ++state.deviators;
    ++state.run;
    ++state.matched;
  }
  states_.push_back(state);
  buckets_[static_cast<std::size_t>(cost) % buckets_.size()].push_back(
      static_cast<int>(states_.size()) - 1);
}

// One sequence is over, or enough is equal. If they end there, the calls that one of them is ahead
// are to be explained.
void Search::PushEnd(const State& state, int index, int cost) {
  const bool cut = (state.others == Others() && !others_.ends) ||
                   (state.deviators == Deviators() && !deviators_.ends);
  const std::int64_t ahead = std::abs((Others() - state.others + others_.rest) -
                                      (Deviators() - state.deviators + deviators_.rest));
  State end = state;
  end.parent = index;
  end.edited = false;
  end.final = true;
  end.run = 0;
  states_.push_back(end);
  const bool blocked = state.others == Others() ? others_.blocked : deviators_.blocked;
  const CallSequence& shorter = Others() < Deviators() ? others_ : deviators_;
  // Where nothing more was to come, one equal call at the end of both is enough.
  const bool over = ahead == 0 && shorter.ends && !shorter.blocked && state.matched == 1;
  int more = state.shifted && state.matched <= 1 && !over ? kSingleMatch : 0;
  if (!cut && ahead > 0)
    more +=
        static_cast<int>(blocked ? std::min<std::int64_t>(kMaxAheadOfBlocked, ahead)
                                 : std::min<std::int64_t>(kMaxAhead, kAhead + kAheadCall * ahead));
  buckets_[static_cast<std::size_t>(cost + more) % buckets_.size()].push_back(
      static_cast<int>(states_.size()) - 1);
}

void Search::Expand(int index, int cost) {
  const State state = states_[static_cast<std::size_t>(index)];
  if (state.others == Others() || state.deviators == Deviators() || state.run >= kEnoughMatched) {
    PushEnd(state, index, cost);
    return;
  }
  const int a = OthersAt(state.others), b = DeviatorsAt(state.deviators);
  const bool agree = classes_.at(a).agreement == classes_.at(b).agreement;
  const int missing = Knows(deviators_, others_, state.others) ? kKnownMissing : kUnknownMissing;
  Push({state.others + 1, state.deviators, index, EditKind::kMissing, true},
       cost + (IsInMissing(state) ? kOneMoreMissing : missing));
  Push({state.others, state.deviators + 1, index, EditKind::kInserted, true},
       cost + (Knows(others_, deviators_, state.deviators) ? kKnownInserted : kUnknownInserted));
  Push({state.others + 1, state.deviators + 1, index, EditKind::kReplaced, !agree},
       cost + ReplaceCost(a, b));
}

EditScript Search::Trace(int index, int cost) const {
  std::vector<const State*> path;
  for (int at = index; at >= 0; at = states_[static_cast<std::size_t>(at)].parent)
    path.push_back(&states_[static_cast<std::size_t>(at)]);
  std::reverse(path.begin(), path.end());
  EditScript script;
  script.cost = cost;
  const State& last = *path.back();
  script.ends_together = last.others == Others() && others_.ends && last.deviators == Deviators() &&
                         deviators_.ends && !(others_.blocked && deviators_.blocked);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const State& step = *path[i];
    if (step.edited && script.matched >= kNewRegion) break;
    if (step.edited) {
      script.matched = 0;
      script.edits.push_back({step.kind, others_.begin + path[i - 1]->others,
                              deviators_.begin + path[i - 1]->deviators});
    } else if (!step.final) {
      ++script.matched;
      ++script.other_places;
    }
    script.matched += step.run;
  }
  // What is missing here and stands there was moved.
  for (Edit& missing : script.edits) {
    if (missing.kind != EditKind::kMissing) continue;
    for (Edit& inserted : script.edits) {
      if (inserted.kind != EditKind::kInserted ||
          OthersAt(static_cast<int>(missing.others_position - others_.begin)) !=
              DeviatorsAt(static_cast<int>(inserted.deviators_position - deviators_.begin)))
        continue;
      missing.kind = inserted.kind = EditKind::kSwapped;
      break;
    }
  }
  TakeTailForSwapped(last, &script);
  return script;
}

// What is missing stands behind the end of the others: they are in step again behind it.
void Search::TakeTailForSwapped(const State& end, EditScript* script) const {
  const std::size_t missing = script->edits.size();
  const auto is_missing = [](const Edit& edit) { return edit.kind == EditKind::kMissing; };
  if (end.others != Others() || missing == 0 || !others_.ends || !deviators_.ends ||
      !script->resynchronised() ||
      static_cast<std::size_t>(Deviators() - end.deviators) != missing ||
      !std::all_of(script->edits.begin(), script->edits.end(), is_missing))
    return;
  for (std::size_t i = 0; i < missing; ++i) {
    const std::int64_t at = script->edits[i].others_position - others_.begin;
    if (OthersAt(static_cast<int>(at)) != DeviatorsAt(end.deviators + static_cast<int>(i))) return;
  }
  for (Edit& edit : script->edits)
    edit.kind = EditKind::kSwapped;
  script->ends_together = true;
}

EditScript Search::Unlike(int cost) const {
  EditScript script;
  script.cost = cost;
  script.edits.push_back({EditKind::kReplaced, others_.begin, deviators_.begin});
  return script;
}

EditScript Search::Run() {
  Push({}, 0);
  for (int cost = 0;; ++cost) {
    std::vector<int>& bucket = buckets_[static_cast<std::size_t>(cost) % buckets_.size()];
    for (std::size_t next = 0; next < bucket.size(); ++next) {
      const int index = bucket[next];
      const State& state = states_[static_cast<std::size_t>(index)];
      // Of who is stuck it is not known how many calls it had to make.
      const bool stuck = others_.blocked || deviators_.blocked;
      if (state.final || (state.run >= kEnoughMatched && stuck)) return Trace(index, cost);
      if (!done_.insert({state.others, 2 * state.deviators + (IsInMissing(state) ? 1 : 0)}).second)
        continue;
      if (states_.size() > kMaxStates) return Unlike(cost);
      Expand(index, cost);
    }
    bucket.clear();
  }
}

}  // namespace

bool EditScript::Has(EditKind kind) const {
  return std::any_of(edits.begin(), edits.end(),
                     [&](const Edit& edit) { return edit.kind == kind; });
}

std::int64_t EditScript::FirstRun() const {
  return std::find_if(edits.begin(), edits.end(),
                      [&](const Edit& edit) { return edit.kind != edits.front().kind; }) -
         edits.begin();
}

std::int64_t EditScript::Shift() const {
  std::int64_t shift = 0;
  for (const Edit& edit : edits)
    shift += edit.kind == EditKind::kInserted ? 1 : edit.kind == EditKind::kMissing ? -1 : 0;
  return shift;
}

bool EditScript::LeavesOut() const {
  if (!Begins(EditKind::kMissing)) return false;
  const auto behind = static_cast<std::size_t>(FirstRun());
  return behind == edits.size() ||
         edits[behind].deviators_position != edits.front().deviators_position;
}

EditScript CompareSequences(const CallSequence& others, const CallSequence& deviators,
                            const CallClasses& classes) {
  return Search(others, deviators, classes).Run();
}

}  // namespace rollcall::analyzer
