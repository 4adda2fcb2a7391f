#include "tests/generate/shrink.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace rollcall::tests::generate {
namespace {

// Up to where two failures are the same one: the words in front of positions, lines and numbers.
std::string Essence(const std::string& what) {
  return what.substr(0, what.find_first_of(":0123456789"));
}

void EachAction(std::vector<Node>* nodes, const std::function<void(Action*)>& visit) {
  for (Node& node : *nodes) {
    EachAction(&node.body, visit);
    for (Action& action : node.actions)
      visit(&action);
  }
}

void EachLoop(std::vector<Node>* nodes, const std::function<void(Node*)>& visit) {
  for (Node& node : *nodes) {
    if (!node.IsLoop()) continue;
    visit(&node);
    EachLoop(&node.body, visit);
  }
}

// A line of code goes from everywhere, so that ranks that agreed still agree.
void Drop(std::vector<Node>* nodes, const std::function<bool(const Action&)>& goes) {
  for (Node& node : *nodes) {
    Drop(&node.body, goes);
    std::erase_if(node.actions, goes);
    for (Action& action : node.actions)
      std::erase_if(action.members, goes);
    std::erase_if(node.actions, [](const Action& action) {
      return (action.verb == "group" || action.verb == "capture") && action.members.empty();
    });
  }
  std::erase_if(*nodes, [](const Node& node) {
    return node.IsLoop() ? node.body.empty() : node.actions.empty() || node.ranks.empty();
  });
}

}  // namespace

Script Shrink(const Script& script, const Expectation& expectation, const TraceFolder& folder) {
  const std::string essence = Essence(Judge(script, expectation, folder).what);
  Script smallest = script;
  int tries = 400;
  const auto attempt = [&](const Script& candidate) {
    if (--tries < 0 || candidate.nodes.empty()) return false;
    const Score score = Judge(candidate, expectation, folder);
    if (score.Full() || Essence(score.what) != essence) return false;
    smallest = candidate;
    return true;
  };
  std::set<std::string> kept;
  for (const Answer& answer : expectation.answers) {
    for (const auto& [rank, line] : answer.lines)
      kept.insert(line);
  }
  const auto drop_by = [&](const std::function<std::string(const Action&)>& key) {
    std::set<std::string> keys;
    EachAction(&smallest.nodes, [&](Action* action) {
      if (kept.count(action->site.Line()) == 0) keys.insert(key(*action));
      for (const Action& member : action->members)
        keys.insert(key(member));
    });
    for (const std::string& dropped : keys) {
      Script candidate = smallest;
      Drop(&candidate.nodes, [&](const Action& action) {
        return key(action) == dropped && kept.count(action.site.Line()) == 0;
      });
      attempt(candidate);
    }
  };
  drop_by([](const Action& action) {
    return action.site.functions.empty() ? action.word : action.site.functions;
  });
  drop_by([](const Action& action) { return action.site.Line() + action.verb; });
  // Two rounds make a loop.
  for (const int rounds : {2, 3}) {
    std::size_t loops = 0;
    EachLoop(&smallest.nodes, [&](Node*) { ++loops; });
    for (std::size_t i = 0; i < loops; ++i) {
      Script candidate = smallest;
      std::size_t at = 0;
      bool changed = false;
      EachLoop(&candidate.nodes, [&](Node* loop) {
        if (at++ == i && loop->rounds > rounds) {
          loop->rounds = rounds;
          changed = true;
        }
      });
      if (changed) attempt(candidate);
    }
  }
  for (std::size_t i = smallest.facts.size(); i-- > 0;) {
    Script candidate = smallest;
    candidate.facts.erase(candidate.facts.begin() + static_cast<std::ptrdiff_t>(i));
    attempt(candidate);
  }
  return smallest;
}

}  // namespace rollcall::tests::generate
