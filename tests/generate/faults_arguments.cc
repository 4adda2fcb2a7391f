#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {
namespace {

std::optional<Expectation> Change(Builder& builder, const std::string& argument,
                                  const std::function<bool(const Action&)>& has,
                                  const std::function<void(Action*, const Ranks&)>& change) {
  std::optional<Target> target =
      AnyTarget(builder, [&](const Context& context) { return has(context.action); });
  if (!target) return std::nullopt;
  target->deviators = Minority(builder.random(), target->members, true);
  const Answer answer{"arg_mismatch",
                      target->Named(),
                      argument,
                      target->IsTie(),
                      {{target->deviators.front(), target->action.site.Line()}}};
  change(&builder.script().nodes[SetApart(builder, &*target)].actions.front(), target->members);
  return Expectation{"", {answer}, ""};
}

template <class T>
T Other(Random& random, const std::vector<T>& values, const T& than) {
  T other = than;
  while (other == than)
    other = random.Pick(values);
  return other;
}

}  // namespace

std::optional<Expectation> ChangeCount(Builder& builder) {
  return Change(
      builder, "count",
      [](const Action& action) { return action.verb != "barrier" && action.splits.empty(); },
      [&](Action* action, const Ranks& members) {
        const auto size = action->verb == "alltoall" ? members.size() : 1;
        action->count = builder.random().Chance(0.5) ? action->count + size : 2 * action->count;
      });
}

// Other types of equal size are an error for reductions alone.
std::optional<Expectation> ChangeDatatype(Builder& builder) {
  return Change(
      builder, "datatype", [](const Action& action) { return Reduces(action.verb); },
      [&](Action* action, const Ranks&) {
        action->datatype = Other<std::string>(
            builder.random(), {"f16", "bf16", "f32", "i32", "f64", "i64"}, action->datatype);
      });
}

std::optional<Expectation> ChangeRedop(Builder& builder) {
  return Change(
      builder, "redop", [](const Action& action) { return Reduces(action.verb); },
      [&](Action* action, const Ranks&) {
        action->redop = Other<std::string>(builder.random(), {"sum", "max", "min", "avg", "prod"},
                                           action->redop);
      });
}

std::optional<Expectation> ChangeRoot(Builder& builder) {
  return Change(
      builder, "root", [](const Action& action) { return TakesRoot(action.verb); },
      [&](Action* action, const Ranks& members) {
        std::vector<int> roots;
        for (int root = 0; root < static_cast<int>(members.size()); ++root)
          roots.push_back(root);
        action->root = Other(builder.random(), roots, action->root);
      });
}

// Sends one more to each of the others than they take from it.
std::optional<Expectation> ChangeSplits(Builder& builder) {
  const Site site = builder.NewSite("moe.py", "main>" + builder.NewName("dispatch"));
  std::vector<Action> exchange = builder.UnevenExchange(site);
  if (exchange.front().receives.empty()) return std::nullopt;
  const std::size_t deviator = builder.random().Index(exchange.size());
  std::vector<Node> nodes;
  for (std::size_t rank = 0; rank < exchange.size(); ++rank) {
    Action& action = exchange[rank];
    for (std::size_t to = 0; rank == deviator && to < exchange.size(); ++to) {
      if (to == deviator) continue;
      ++action.splits[to];
      ++action.count;
    }
    nodes.push_back(Step({static_cast<int>(rank)}, {action}));
  }
  builder.AddSync(&nodes, builder.All(), site.functions);
  InsertSomewhere(builder, std::move(nodes));
  const int rank = static_cast<int>(deviator);
  // Of two, either end of the pair may be wrong.
  const Ranks named = exchange.size() == 2 ? builder.All() : Ranks{rank};
  return Expectation{"", {{"arg_mismatch", named, "splits", false, {{rank, site.Line()}}}}, ""};
}

}  // namespace rollcall::tests::generate
