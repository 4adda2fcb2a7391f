#include "tests/generate/edit.h"

#include <utility>

namespace rollcall::tests::generate {
namespace {

void Walk(const std::vector<Node>& nodes, Place* place, std::vector<const Node*>* loops,
          const std::function<bool(const Context&)>& fits, std::vector<Place>* found) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place->path.push_back(i);
    const Node& node = nodes[i];
    if (node.IsLoop()) {
      loops->push_back(&node);
      Walk(node.body, place, loops, fits, found);
      loops->pop_back();
    } else {
      for (place->action = 0; place->action < node.actions.size(); ++place->action) {
        if (fits({*place, node.actions[place->action], node, *loops})) found->push_back(*place);
      }
    }
    place->path.pop_back();
  }
}

// Replaces a node of the script by others.
void Replace(Script* script, std::size_t index, std::vector<Node> by) {
  const auto at = script->nodes.begin() + static_cast<std::ptrdiff_t>(index);
  const auto rest = script->nodes.erase(at);
  script->nodes.insert(rest, std::make_move_iterator(by.begin()),
                       std::make_move_iterator(by.end()));
}

// Until the node that the path leads to is one of the script's own.
std::size_t Unroll(Script* script, const std::vector<std::size_t>& path,
                   const std::vector<int>& rounds) {
  std::size_t index = path.front();
  for (std::size_t depth = 1; depth < path.size(); ++depth) {
    const Node loop = script->nodes[index];
    const int before = rounds[depth - 1], behind = loop.rounds - before - 1;
    std::vector<Node> unrolled;
    if (before > 0) unrolled.push_back({{}, {}, before, loop.body});
    unrolled.insert(unrolled.end(), loop.body.begin(), loop.body.end());
    if (behind > 0) unrolled.push_back({{}, {}, behind, loop.body});
    Replace(script, index, std::move(unrolled));
    index += (before > 0 ? 1 : 0) + path[depth];
  }
  return index;
}

void Collect(const Node& node, int rank, std::vector<const Action*>* found) {
  for (const Node& inner : node.body)
    Collect(inner, rank, found);
  if (!Contains(node.ranks, rank)) return;
  for (const Action& action : node.actions)
    found->push_back(&action);
}

std::vector<const Action*> OfNode(const Node& node, int rank) {
  std::vector<const Action*> found;
  Collect(node, rank, &found);
  return found;
}

const std::vector<Node>* BodyAt(const Script& script, const std::vector<std::size_t>& path,
                                std::vector<int>* rounds) {
  const std::vector<Node>* nodes = &script.nodes;
  for (std::size_t depth = 0; depth + 1 < path.size(); ++depth) {
    rounds->push_back((*nodes)[path[depth]].rounds);
    nodes = &(*nodes)[path[depth]].body;
  }
  return nodes;
}

void Remove(std::vector<Node>* nodes, std::size_t from, const Ranks& ranks) {
  for (std::size_t i = from; i < nodes->size(); ++i) {
    Node& node = (*nodes)[i];
    Remove(&node.body, 0, ranks);
    node.ranks = Without(node.ranks, ranks);
  }
}

const Action& Innermost(const Action& action) {
  return action.verb == "group" && !action.members.empty() ? action.members.back() : action;
}

}  // namespace

std::vector<Place> FindPlaces(const Script& script,
                              const std::function<bool(const Context&)>& fits) {
  std::vector<Place> found;
  Place place;
  std::vector<const Node*> loops;
  Walk(script.nodes, &place, &loops, fits, &found);
  return found;
}

Moment AnyMoment(const Script& script, const Place& place, Random& random,
                 std::optional<std::pair<int, int>> inner) {
  Moment moment;
  std::vector<int> most;
  const std::vector<Node>* nodes = BodyAt(script, place.path, &most);
  for (std::size_t i = 0; i < most.size(); ++i) {
    const bool innermost = i + 1 == most.size() && inner.has_value();
    moment.rounds.push_back(innermost ? random.Between(inner->first, inner->second)
                                      : random.Between(0, most[i] - 1));
  }
  const Action& action = (*nodes)[place.path.back()].actions[place.action];
  moment.time = random.Between(0, action.times - 1);
  return moment;
}

std::size_t Isolate(Script* script, const Place& place, const Moment& moment) {
  std::size_t index = Unroll(script, place.path, moment.rounds);
  const Node step = script->nodes[index];
  const auto at = static_cast<std::ptrdiff_t>(place.action);
  std::vector<Action> before(step.actions.begin(), step.actions.begin() + at);
  std::vector<Action> behind(step.actions.begin() + at + 1, step.actions.end());
  Action action = step.actions[place.action];
  if (moment.time > 0) {
    before.push_back(action);
    before.back().times = moment.time;
  }
  if (moment.time + 1 < action.times) {
    behind.insert(behind.begin(), action);
    behind.front().times = action.times - moment.time - 1;
  }
  action.times = 1;
  std::vector<Node> parts;
  if (!before.empty()) parts.push_back({step.ranks, std::move(before), 0, {}});
  const std::size_t middle = index + parts.size();
  parts.push_back({step.ranks, {std::move(action)}, 0, {}});
  if (!behind.empty()) parts.push_back({step.ranks, std::move(behind), 0, {}});
  Replace(script, index, std::move(parts));
  return middle;
}

std::size_t IsolateLoop(Script* script, const std::vector<std::size_t>& path,
                        const std::vector<int>& rounds) {
  return Unroll(script, path, rounds);
}

std::size_t SplitRanks(Script* script, std::size_t index, const Ranks& ranks) {
  Node rest = script->nodes[index], own = rest;
  rest.ranks = Without(rest.ranks, ranks);
  own.ranks = ranks;
  const bool all = rest.ranks.empty();
  std::vector<Node> parts;
  if (!all) parts.push_back(std::move(rest));
  parts.push_back(std::move(own));
  Replace(script, index, std::move(parts));
  return index + (all ? 0 : 1);
}

void RemoveRanks(Script* script, std::size_t from, const Ranks& ranks) {
  Remove(&script->nodes, from, ranks);
}

std::vector<const Action*> ActionsOf(const std::vector<Node>& nodes, int rank) {
  std::vector<const Action*> found;
  for (const Node& node : nodes)
    Collect(node, rank, &found);
  return found;
}

const Action* NextAction(const Script& script, std::size_t index, int rank) {
  for (std::size_t i = index + 1; i < script.nodes.size(); ++i) {
    const std::vector<const Action*> here = OfNode(script.nodes[i], rank);
    if (!here.empty()) return here.front();
  }
  return nullptr;
}

const Action* NextCall(const Script& script, std::size_t index, int rank) {
  for (std::size_t i = index + 1; i < script.nodes.size(); ++i) {
    for (const Action* action : OfNode(script.nodes[i], rank)) {
      if (IsCall(*action)) return action;
    }
  }
  return nullptr;
}

const Action* LastCall(const Script& script, std::size_t index, int rank) {
  for (std::size_t i = index; i-- > BeginOfLastStart(script);) {
    const std::vector<const Action*> here = OfNode(script.nodes[i], rank);
    for (std::size_t a = here.size(); a-- > 0;) {
      if (IsCall(*here[a]) && here[a]->verb != "replay" && here[a]->thread == 0)
        return &Innermost(*here[a]);
      // Which of two threads was the last one is up to their clocks.
      if (here[a]->verb == "replay" || here[a]->verb == "capture" || here[a]->thread != 0)
        return nullptr;
    }
  }
  return nullptr;
}

std::size_t BeginOfLastStart(const Script& script) {
  for (std::size_t i = script.nodes.size(); i-- > 0;) {
    const std::vector<Action>& actions = script.nodes[i].actions;
    if (!actions.empty() && actions.front().verb == "restart") return i + 1;
  }
  return 0;
}

}  // namespace rollcall::tests::generate
