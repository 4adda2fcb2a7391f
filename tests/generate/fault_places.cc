#include "tests/generate/fault_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rollcall::tests::generate {

bool IsCommonCall(const Script& script, const Context& context) {
  const Action& action = context.action;
  return IsCollective(action) && action.thread == 0 && action.stream == 0 && !action.async &&
         action.state.empty() && context.step.ranks == script.members.at(action.communicator) &&
         context.step.ranks.size() >= 2 && context.place.path.front() >= BeginOfLastStart(script);
}

std::optional<Target> AnyTarget(Builder& builder, const std::function<bool(const Context&)>& fits) {
  Script& script = builder.script();
  const std::vector<Place> places = FindPlaces(script, [&](const Context& context) {
    return IsCommonCall(script, context) && (fits == nullptr || fits(context));
  });
  if (places.empty()) return std::nullopt;
  const Place& place = builder.random().Pick(places);
  Target target;
  target.index = Isolate(&script, place, AnyMoment(script, place, builder.random()));
  target.action = script.nodes[target.index].actions.front();
  target.members = script.nodes[target.index].ranks;
  target.deviators = Minority(builder.random(), target.members);
  return target;
}

std::size_t SetApart(Builder& builder, Target* target) {
  target->index = SplitRanks(&builder.script(), target->index, target->deviators);
  return target->index;
}

bool MadeBefore(const Script& script, const Target& target) {
  const std::vector<Node> before(
      script.nodes.begin() + static_cast<std::ptrdiff_t>(BeginOfLastStart(script)),
      script.nodes.begin() + static_cast<std::ptrdiff_t>(target.index));
  const std::vector<const Action*> made = ActionsOf(before, target.deviators.front());
  return std::any_of(made.begin(), made.end(), [&](const Action* action) {
    return IsCall(*action) && action->site == target.action.site &&
           action->communicator == target.action.communicator;
  });
}

bool AreTalkedTo(const Script& script, std::size_t index, const Ranks& ranks) {
  const auto is_partner = [&](const Action& action) { return Contains(ranks, action.peer); };
  return !FindPlaces(script, [&](const Context& context) {
            return context.place.path.front() >= index &&
                   (is_partner(context.action) || context.action.verb == "init" ||
                    std::any_of(context.action.members.begin(), context.action.members.end(),
                                is_partner));
          }).empty();
}

bool RunsAside(const Script& script) {
  if (std::any_of(script.facts.begin(), script.facts.end(), [](const std::string& fact) {
        return fact.find("backend=gloo") != std::string::npos;
      }))
    return true;
  return !FindPlaces(script, [](const Context& context) {
            return context.action.thread != 0 || context.action.stream != 0;
          }).empty();
}

Ranks Minority(Random& random, const Ranks& members, bool may_tie) {
  const std::size_t half = members.size() / 2;
  if (may_tie && members.size() % 2 == 0 && random.Chance(0.1)) return random.Sample(members, half);
  const std::size_t most = std::max<std::size_t>(1, (members.size() - 1) / 2);
  const std::size_t size = random.Chance(0.7) ? 1 : 1 + random.Index(most);
  return random.Sample(members, size);
}

std::size_t InsertSomewhere(Builder& builder, std::vector<Node> nodes) {
  Script& script = builder.script();
  const std::size_t at = builder.random().Pick(script.boundaries);
  script.nodes.insert(script.nodes.begin() + static_cast<std::ptrdiff_t>(at),
                      std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
  return at;
}

}  // namespace rollcall::tests::generate
