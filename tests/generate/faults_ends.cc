#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {
namespace {

std::string Parent(const std::string& functions) {
  const std::size_t end = functions.rfind('>');
  return end == std::string::npos ? functions : functions.substr(0, end);
}

// In place of a call that the others make, and of everything behind it.
std::optional<Expectation> Stop(Builder& builder, const std::string& kind,
                                const std::function<std::vector<Action>(const Action&)>& instead) {
  std::optional<Target> target = AnyTarget(builder);
  if (!target) return std::nullopt;
  const std::size_t index = SetApart(builder, &*target);
  std::vector<Action> actions = instead(target->action);
  Answer answer{kind, target->deviators, "", false, {}};
  for (const int rank : target->deviators) {
    // Who says nothing about where it ends is known by its last call.
    const Action* last = LastCall(builder.script(), index, rank);
    for (const Action& action : actions) {
      if (action.site.line != 0) last = &action;
    }
    if (last != nullptr && last->site.line != 0) answer.lines[rank] = last->site.Line();
  }
  builder.script().nodes[index].actions = std::move(actions);
  RemoveRanks(&builder.script(), index + 1, target->deviators);
  // Ranks outside of the communicator would wait for them directly.
  if (target->action.communicator != "world" &&
      AreTalkedTo(builder.script(), index + 1, target->deviators))
    return std::nullopt;
  return Expectation{"", {answer}, ""};
}

}  // namespace

std::optional<Expectation> ExitEarly(Builder& builder) {
  return Stop(builder, "early_exit", [&](const Action& call) {
    const std::string code = builder.random().Chance(0.5) ? "0" : "1";
    const std::string where =
        builder.random().Chance(0.5) ? call.site.functions : Parent(call.site.functions);
    return std::vector<Action>{builder.Plain("exit", code, builder.NewSite("train.py", where))};
  });
}

std::optional<Expectation> RaiseEarly(Builder& builder) {
  static const std::vector<std::string> kErrors = {
      "\"ValueError: loss is nan\"", "\"KeyError: 'labels'\"",
      "\"torch.cuda.OutOfMemoryError: CUDA out of memory\"",
      "\"FileNotFoundError: [Errno 2] No such file or directory: 'part-7.tar'\""};
  return Stop(builder, "early_exit", [&](const Action& call) {
    return std::vector<Action>{
        builder.Plain("raise", builder.random().Pick(kErrors),
                      builder.NewSite("data.py", call.site.functions + ">load"))};
  });
}

std::optional<Expectation> DestroyEarly(Builder& builder) {
  return Stop(builder, "early_exit", [&](const Action& call) {
    Action destroy = builder.Plain("destroy", "", builder.NewSite("main.py", "main>cleanup"));
    destroy.communicator = call.communicator;
    return std::vector<Action>{destroy, builder.Plain("exit", "0", {})};
  });
}

std::optional<Expectation> KillRank(Builder& builder) {
  return Stop(builder, "killed", [&](const Action& call) {
    // Where others may have ended before, TERM is how a launcher ends the rest.
    std::vector<std::string> signals = {"SEGV", "KILL", "BUS"};
    if (call.communicator == "world") signals.push_back("TERM");
    return std::vector<Action>{builder.random().Chance(0.4)
                                   ? builder.Plain("vanish", "", {})
                                   : builder.Plain("signal", builder.random().Pick(signals), {})};
  });
}

std::optional<Expectation> StayAway(Builder& builder) {
  static const std::vector<std::string> kThings = {"lock", "io", "store"};
  return Stop(builder, "missing_rank", [&](const Action& call) {
    const Site site = builder.NewSite("data.py", call.site.functions + ">next_batch");
    return std::vector<Action>{
        builder.random().Chance(0.5)
            ? builder.Plain("busy", "", site)
            : builder.Plain("blocked", "on " + builder.random().Pick(kThings), site)};
  });
}

std::optional<Expectation> KeepWorking(Builder& builder) {
  return Stop(builder, "late_rank", [&](const Action& call) {
    return std::vector<Action>{builder.Plain(
        "busy", "progressing", builder.NewSite("tokens.py", call.site.functions + ">tokenize"))};
  });
}

std::optional<Expectation> BeLate(Builder& builder) {
  std::optional<Target> target = AnyTarget(builder);
  if (!target) return std::nullopt;
  const Action late =
      builder.Plain("late", std::to_string(builder.random().Between(90, 300)),
                    builder.NewSite("report.py", target->action.site.functions + ">report"));
  std::vector<Node>& nodes = builder.script().nodes;
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(target->index),
               Step(target->deviators, {late}));
  Answer answer{"late_rank", target->deviators, "", false, {}};
  for (const int rank : target->deviators)
    answer.lines[rank] = late.site.Line();
  return Expectation{"", {answer}, ""};
}

}  // namespace rollcall::tests::generate
