#include "tests/generate/script.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace rollcall::tests::generate {
namespace {

std::string Joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string Chain(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions)
    text += (text.empty() ? "" : " ; ") + TextOf(action);
  return text;
}

void Append(const std::vector<Node>& nodes, const std::string& indent, std::string* text) {
  for (const Node& node : nodes) {
    if (!node.IsLoop()) {
      if (!node.ranks.empty() && !node.actions.empty())
        *text += indent + TextOf(node.ranks) + ": " + Chain(node.actions) + "\n";
      continue;
    }
    *text += indent + "repeat " + std::to_string(node.rounds) + " {\n";
    Append(node.body, indent + "  ", text);
    *text += indent + "}\n";
  }
}

}  // namespace

std::string Site::Line() const {
  return line == 0 ? "" : file + ":" + std::to_string(line);
}

Ranks Script::All() const {
  Ranks all(static_cast<std::size_t>(world));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool Script::Blocks(const std::string& communicator) const {
  return !nccl || std::any_of(facts.begin(), facts.end(), [&](const std::string& fact) {
    return fact.find("comm " + communicator + " ") == 0 &&
           fact.find("backend=gloo") != std::string::npos;
  });
}

bool IsCollective(const Action& action) {
  static const std::set<std::string> kVerbs = {"allreduce", "broadcast",     "reduce",
                                               "allgather", "reducescatter", "alltoall",
                                               "gather",    "scatter",       "barrier"};
  return kVerbs.count(action.verb) != 0;
}

bool IsCall(const Action& action) {
  static const std::set<std::string> kVerbs = {
      "send",  "recv", "init",        "split",     "shrink", "finalize",   "destroy",
      "abort", "sync", "group_start", "group_end", "group",  "rendezvous", "replay"};
  return IsCollective(action) || kVerbs.count(action.verb) != 0;
}

bool TakesRoot(const std::string& verb) {
  return verb == "broadcast" || verb == "reduce" || verb == "gather" || verb == "scatter";
}

bool Reduces(const std::string& verb) {
  return verb == "allreduce" || verb == "reduce" || verb == "reducescatter";
}

std::string TextOf(const Ranks& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += (last > i + 1 ? "-" : ",") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string TextOf(const Action& action) {
  std::string text = action.verb;
  if (!action.word.empty()) text += " " + action.word;
  if (!action.datatype.empty()) text += " " + std::to_string(action.count) + " " + action.datatype;
  if (!action.redop.empty()) text += " " + action.redop;
  if (action.root >= 0) text += " root=" + std::to_string(action.root);
  if (action.peer >= 0)
    text += (action.verb == "send" ? " to=" : " from=") + std::to_string(action.peer);
  if (action.tag >= 0) text += " tag=" + std::to_string(action.tag);
  if (!action.splits.empty()) text += " splits=" + Joined(action.splits);
  if (!action.receives.empty()) text += " receives=" + Joined(action.receives);
  if (!action.members.empty()) text += " { " + Chain(action.members) + " }";
  if (action.communicator != "world") text += " on " + action.communicator;
  if (action.stream != 0) text += " stream=" + std::to_string(action.stream);
  if (action.thread != 0) text += " thread=" + std::to_string(action.thread);
  if (action.in_place) text += " in-place";
  if (action.async) text += " async";
  if (action.in_backward) text += " in-backward";
  if (action.site.line != 0) text += " @" + action.site.Line();
  if (!action.site.functions.empty()) text += " in " + action.site.functions;
  if (!action.state.empty()) text += " " + action.state;
  if (action.times > 1) text += " x" + std::to_string(action.times);
  return text;
}

std::string TextOf(const Script& script) {
  std::string text = "world " + std::to_string(script.world) + "\n";
  text += script.nccl ? "backend nccl\n" : "backend gloo\n";
  for (const std::string& fact : script.facts)
    text += fact + "\n";
  Append(script.nodes, "", &text);
  return text;
}

Ranks Without(const Ranks& ranks, const Ranks& others) {
  Ranks rest;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(rest),
               [&](int rank) { return !Contains(others, rank); });
  return rest;
}

bool Contains(const Ranks& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace rollcall::tests::generate
