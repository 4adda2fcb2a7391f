#include <algorithm>
#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {
namespace {

bool IsCommonTo(const Node& step, const Script& script, const Action& action) {
  return IsCollective(action) && step.ranks == script.members.at(action.communicator) &&
         action.thread == 0 && action.stream == 0 && !action.async;
}

// The calls of one round, when nothing but common calls of one communicator is made in it; else
// empty.
std::vector<Action> RoundOf(const Script& script, const Node& loop) {
  std::vector<Action> round;
  for (const Node& step : loop.body) {
    if (step.IsLoop()) return {};
    for (const Action& action : step.actions) {
      if (!IsCall(action) || action.verb == "sync") continue;
      if (!IsCommonTo(step, script, action) || action.times > 1) return {};
      if (!round.empty() && round.front().communicator != action.communicator) return {};
      round.push_back(action);
    }
  }
  return round;
}

std::size_t IndexIn(const std::vector<Action>& round, const Action& action) {
  return static_cast<std::size_t>(std::find(round.begin(), round.end(), action) - round.begin());
}

std::string OtherVerb(Random& random, const std::string& verb, bool nccl) {
  static const std::vector<std::string> kVerbs = {"allreduce", "broadcast", "reduce", "allgather",
                                                  "alltoall",  "gather",    "scatter"};
  std::string other = verb;
  // Under NCCL a barrier is an allreduce.
  while (other == verb || (nccl && verb == "barrier" && other == "allreduce"))
    other = random.Pick(kVerbs);
  return other;
}

bool IsBelow(const std::string& functions, const std::string& caller) {
  return functions.compare(0, caller.size(), caller) == 0;
}

}  // namespace

std::optional<Expectation> MakeExtraCall(Builder& builder) {
  Random& random = builder.random();
  const std::optional<Target> target = AnyTarget(builder);
  // Who hangs in a call more has to be known to make the others' call too.
  if (!target || !MadeBefore(builder.script(), *target)) return std::nullopt;
  Action extra;
  if (random.Chance(0.5)) {
    // Right before, in the same function; equal arguments would make it a branch of the same call.
    Site site = target->action.site;
    --site.line;
    extra = builder.Make(OtherVerb(random, target->action.verb, builder.nccl()),
                         target->action.communicator, site);
  } else {
    extra =
        builder.AnyCollective(target->action.communicator,
                              builder.NewSite("note.py", target->action.site.functions + ">note"));
    if (random.Chance(0.3)) {
      const Site site = extra.site;
      extra = target->action;
      extra.site = site;
    }
  }
  std::vector<Node>& nodes = builder.script().nodes;
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(target->index),
               Step(target->deviators, {extra}));
  Answer answer{"extra_call", target->deviators, "", false, {}};
  answer.lines[target->deviators.front()] = extra.site.Line();
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> SkipCall(Builder& builder) {
  Script& script = builder.script();
  Random& random = builder.random();
  // In a round in the middle, so that all of it is known; not the whole round, which would be one
  // round less.
  const std::vector<Place> places = FindPlaces(script, [&](const Context& context) {
    if (!IsCommonCall(script, context) || context.loops.empty() ||
        context.loops.back()->rounds < 4 || context.action.times > 1)
      return false;
    return RoundOf(script, *context.loops.back()).size() >= 2;
  });
  if (places.empty()) return std::nullopt;
  const Place& place = random.Pick(places);
  const Node* loop = nullptr;
  FindPlaces(script, [&](const Context& context) {
    if (context.place.path == place.path) loop = context.loops.back();
    return false;
  });
  const std::vector<Action> round = RoundOf(script, *loop);
  const Moment moment = AnyMoment(script, place, random, {{2, loop->rounds - 2}});
  const std::size_t index = Isolate(&script, place, moment);
  const Action skipped = script.nodes[index].actions.front();
  const Action& next = round[(IndexIn(round, skipped) + 1) % round.size()];
  const Ranks members = script.nodes[index].ranks, deviators = Minority(random, members);
  script.nodes[index].ranks = Without(members, deviators);
  Answer answer{"skipped_call", deviators, "", false, {}};
  answer.lines[deviators.front()] = next.site.Line();
  answer.lines[script.nodes[index].ranks.front()] = skipped.site.Line();
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> LeaveLoop(Builder& builder) {
  Script& script = builder.script();
  Random& random = builder.random();
  const std::vector<Place> places = FindPlaces(script, [&](const Context& context) {
    if (!IsCommonCall(script, context) || context.loops.empty() || context.loops.back()->rounds < 4)
      return false;
    const std::vector<Action> round = RoundOf(script, *context.loops.back());
    return !round.empty() && round.front() == context.action;
  });
  if (places.empty()) return std::nullopt;
  const Place& place = random.Pick(places);
  const std::vector<std::size_t> to_loop(place.path.begin(), place.path.end() - 1);
  Moment moment = AnyMoment(script, place, random);
  moment.rounds.pop_back();
  const std::size_t index = IsolateLoop(&script, to_loop, moment.rounds);
  const Node loop = script.nodes[index];
  const std::vector<Action> round = RoundOf(script, loop);
  const Ranks& members = script.members.at(round.front().communicator);
  const Ranks deviators = random.Sample(
      members, static_cast<std::size_t>(random.Between(1, static_cast<int>(members.size()) - 1)));
  // What they go on with: behind the loop in its function, or outside of it.
  const int rank = deviators.front();
  std::size_t behind = index;
  const Action* next = NextCall(script, behind, rank);
  while (next != nullptr && next->verb == "sync" && behind + 1 < script.nodes.size())
    next = NextCall(script, ++behind, rank);
  if (next == nullptr || !IsCollective(*next) || next->communicator != round.front().communicator ||
      next->thread != 0 || next->stream != 0)
    return std::nullopt;
  const bool same_function = next->site.functions == round.front().site.functions;
  for (const Action& call : round) {
    const bool in_front =
        same_function && (next->site.file != call.site.file || next->site.line <= call.site.line);
    if (in_front || (!same_function && IsBelow(next->site.functions, call.site.functions)))
      return std::nullopt;
  }
  const bool is_common = !FindPlaces(script, [&](const Context& context) {
                            return context.action == *next && IsCommonCall(script, context);
                          }).empty();
  if (!is_common) return std::nullopt;
  const Action go_on = *next;
  const std::vector<Node> nodes_before(script.nodes.begin(),
                                       script.nodes.begin() + static_cast<std::ptrdiff_t>(index));
  const std::vector<const Action*> before = ActionsOf(nodes_before, rank);
  const bool is_new = std::none_of(before.begin(), before.end(), [&](const Action* action) {
    return action->site == go_on.site;
  });
  // Two rounds make a loop.
  const int rounds = random.Between(2, loop.rounds - 1);
  std::vector<Node> rest = loop.body;
  for (Node& step : rest)
    step.ranks = Without(step.ranks, deviators);
  script.nodes[index].rounds = rounds;
  script.nodes.insert(script.nodes.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                      Loop(loop.rounds - rounds, std::move(rest)));
  Answer answer{"uneven_rounds", deviators, "", false, {}};
  answer.lines[rank] = go_on.site.Line();
  answer.lines[Without(members, deviators).front()] = round.front().site.Line();
  // A function that the caller calls for the first time: the loop may be the caller's, and go on.
  if (is_new && !same_function && !IsBelow(round.front().site.functions, go_on.site.functions)) {
    Answer extra = answer;
    extra.kind = "extra_call";
    // Those that left are the most, and come to the loop again: its rounds may be meant to be as
    // few, and the others have left out what comes between two runs.
    const std::vector<Node> nodes_behind(
        script.nodes.begin() + static_cast<std::ptrdiff_t>(behind) + 1, script.nodes.end());
    const std::vector<const Action*> later = ActionsOf(nodes_behind, rank);
    const bool come_again = std::any_of(later.begin(), later.end(), [&](const Action* action) {
      return action->site == round.front().site;
    });
    if (!come_again || 2 * deviators.size() <= members.size())
      return Expectation{"", {answer, extra}, "the loop may be in the caller"};
    Answer skipped = answer;
    skipped.kind = "skipped_call";
    skipped.ranks = Without(members, deviators);
    return Expectation{"", {answer, extra, skipped}, "the loop may be in the caller"};
  }
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> ChangeOperation(Builder& builder) {
  std::optional<Target> target = AnyTarget(builder);
  if (!target) return std::nullopt;
  target->deviators = Minority(builder.random(), target->members, true);
  // From the same line, as with a function that is chosen before.
  const Action other =
      builder.Make(OtherVerb(builder.random(), target->action.verb, builder.nccl()),
                   target->action.communicator, target->action.site);
  const Answer answer{"op_mismatch",
                      target->Named(),
                      "",
                      target->IsTie(),
                      {{target->deviators.front(), other.site.Line()}}};
  builder.script().nodes[SetApart(builder, &*target)].actions = {other};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> SwapCalls(Builder& builder) {
  Script& script = builder.script();
  Random& random = builder.random();
  const std::vector<Place> places = FindPlaces(script, [&](const Context& context) {
    if (!IsCommonCall(script, context) || context.action.times > 1) return false;
    if (context.place.action + 1 >= context.step.actions.size()) return false;
    const Action& next = context.step.actions[context.place.action + 1];
    // Under Gloo the second call shows only when the first goes through.
    if (script.Blocks(context.action.communicator) && !Reduces(context.action.verb)) return false;
    return IsCommonTo(context.step, script, next) && next.times == 1 &&
           next.communicator == context.action.communicator && next.verb != context.action.verb;
  });
  if (places.empty()) return std::nullopt;
  Place place = random.Pick(places);
  if (!builder.nccl()) {
    std::vector<Node>* nodes = &script.nodes;
    for (std::size_t depth = 0; depth + 1 < place.path.size(); ++depth)
      nodes = &(*nodes)[place.path[depth]].body;
    std::vector<Action>& actions = (*nodes)[place.path.back()].actions;
    const Site site = actions[place.action + 1].site;
    actions[place.action + 1] = actions[place.action];
    actions[place.action + 1].site = site;
    actions[place.action + 1].redop = actions[place.action].redop == "max" ? "min" : "max";
  }
  const std::size_t first = Isolate(&script, place, AnyMoment(script, place, random));
  // The call behind it is the first of the next step.
  Node& behind = script.nodes[first + 1];
  const Action a = script.nodes[first].actions.front(), b = behind.actions.front();
  behind.actions.erase(behind.actions.begin());
  Target target{first, a, behind.ranks, Minority(random, behind.ranks, true)};
  script.nodes[first].actions = {a, b};
  script.nodes[SetApart(builder, &target)].actions = {b, a};
  const Answer answer{
      "order_mismatch",
      target.Named(),
      "",
      target.IsTie(),
      {{target.deviators.front(), b.site.Line()}, {target.Others().front(), a.site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> CallFromElsewhere(Builder& builder) {
  const Script& script = builder.script();
  std::optional<Target> target = AnyTarget(builder, [&](const Context& context) {
    return context.loops.empty() && context.action.times == 1 &&
           FindPlaces(script, [&](const Context& other) {
             return other.action.site == context.action.site;
           }).size() == 1;
  });
  if (!target) return std::nullopt;
  target->deviators = Minority(builder.random(), target->members, true);
  Action same = target->action;
  same.site = builder.NewSite("other.py", "main>otherwise");
  const Answer answer{"site_mismatch",
                      target->Named(),
                      "",
                      target->IsTie(),
                      {{target->deviators.front(), same.site.Line()}}};
  builder.script().nodes[SetApart(builder, &*target)].actions = {same};
  return Expectation{"", {answer}, ""};
}

}  // namespace rollcall::tests::generate
