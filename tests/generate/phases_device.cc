#include <utility>

#include "tests/generate/phases.h"

namespace rollcall::tests::generate {

void AddStreams(Builder& builder) {
  Random& random = builder.random();
  const std::string name = builder.NewName("side"), function = "main>" + builder.NewName("overlap");
  builder.Declare(name, builder.All());
  std::vector<Action> actions;
  const int count = random.Between(2, 5);
  for (int i = 0; i < count; ++i) {
    const bool aside = random.Chance(0.5);
    actions.push_back(
        builder.AnyCollective(aside ? name : "world", builder.NewSite("streams.py", function)));
    actions.back().stream = aside ? 1 : 0;
  }
  std::vector<Node> body = {Step(builder.All(), std::move(actions))};
  if (random.Chance(0.5)) builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(2, 20), std::move(body));
}

void AddGraph(Builder& builder) {
  Random& random = builder.random();
  const std::string name = builder.NewName("graph"), function = "main>" + builder.NewName("decode");
  Action capture = builder.Plain("capture", name, {});
  const int count = random.Between(1, 3);
  for (int i = 0; i < count; ++i)
    capture.members.push_back(
        builder.AnyCollective("world", builder.NewSite("graph.py", function)));
  Action replay = builder.Plain("replay", name, {});
  replay.times = random.Between(2, 20);
  builder.Add(builder.All(), {capture});
  std::vector<Node> body = {Step(builder.All(), {replay})};
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(1, 5), std::move(body));
}

void AddGroupedCalls(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("fused");
  Action group = builder.Plain("group", "", {});
  const int count = random.Between(2, 4);
  for (int i = 0; i < count; ++i)
    group.members.push_back(builder.AnyCollective("world", builder.NewSite("fused.py", function)));
  std::vector<Node> body = {Step(builder.All(), {group})};
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(1, 15), std::move(body));
}

}  // namespace rollcall::tests::generate
