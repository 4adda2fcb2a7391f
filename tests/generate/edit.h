// Finds places in a script and changes one of them: the loops around are unrolled at a round, so
// that one call of some ranks stands alone between what comes before and behind it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/generate/random.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

// An action in the tree.
struct Place {
  std::vector<std::size_t>
      path;  // index among the script's nodes, then in bodies; the last is a step
  std::size_t action = 0;
};

struct Context {
  const Place& place;
  const Action& action;
  const Node& step;
  std::vector<const Node*> loops;  // around it, outermost first
};

std::vector<Place> FindPlaces(const Script& script,
                              const std::function<bool(const Context&)>& fits);

// Which round of each loop around, outermost first, and which repetition of the action.
struct Moment {
  std::vector<int> rounds;
  int time = 0;
};
// Any, at random; `inner` gives the rounds of the innermost loop to choose from, when it is given.
Moment AnyMoment(const Script& script, const Place& place, Random& random,
                 std::optional<std::pair<int, int>> inner = std::nullopt);

// Returns the index among the script's nodes of a step with this action alone.
std::size_t Isolate(Script* script, const Place& place, const Moment& moment);
// The same for a loop: path leads to it. Its rounds are not split.
std::size_t IsolateLoop(Script* script, const std::vector<std::size_t>& path,
                        const std::vector<int>& rounds);
// The step at the index becomes two; returns the index of the second, which has these ranks.
std::size_t SplitRanks(Script* script, std::size_t index, const Ranks& ranks);
// They do nothing from this index on.
void RemoveRanks(Script* script, std::size_t from, const Ranks& ranks);

// What a rank does next behind the step at an index, resp. the last call before it; null = nothing.
const Action* NextAction(const Script& script, std::size_t index, int rank);
const Action* NextCall(const Script& script, std::size_t index, int rank);
const Action* LastCall(const Script& script, std::size_t index, int rank);
// In order, repeats not counted.
std::vector<const Action*> ActionsOf(const std::vector<Node>& nodes, int rank);
// Behind the last restart.
std::size_t BeginOfLastStart(const Script& script);

}  // namespace rollcall::tests::generate
