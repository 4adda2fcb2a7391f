#include <utility>

#include "tests/generate/phases.h"

namespace rollcall::tests::generate {
namespace {

// Divisors of the world's size that leave more than one group.
int GroupSize(Builder& builder) {
  std::vector<int> sizes;
  for (int size = 2; size <= builder.world(); ++size) {
    if (builder.world() % size == 0) sizes.push_back(size);
  }
  return builder.random().Pick(sizes);
}

}  // namespace

void AddGrid(Builder& builder) {
  Random& random = builder.random();
  const int world = builder.world(), width = GroupSize(builder);
  const std::string function = "main>" + builder.NewName("forward");
  std::vector<std::pair<std::string, Ranks>> rows, columns;
  for (int first = 0; first < world; first += width) {
    Ranks ranks;
    for (int rank = first; rank < first + width; ++rank)
      ranks.push_back(rank);
    rows.emplace_back(builder.NewName("tp"), ranks);
  }
  for (int first = 0; first < width && width < world; ++first) {
    Ranks ranks;
    for (int rank = first; rank < world; rank += width)
      ranks.push_back(rank);
    columns.emplace_back(builder.NewName("dp"), ranks);
  }
  for (const auto* groups : {&rows, &columns}) {
    for (const auto& [name, ranks] : *groups)
      builder.Declare(name, ranks);
  }
  // One line of code, a group for each rank.
  const auto on_each = [&](const std::vector<std::pair<std::string, Ranks>>& groups,
                           std::vector<Node>* body) {
    if (groups.empty()) return;
    Action call =
        builder.AnyCollective(groups.front().first, builder.NewSite("layers.py", function));
    for (const auto& [name, ranks] : groups) {
      call.communicator = name;
      body->push_back(Step(ranks, {call}));
    }
  };
  std::vector<Node> body;
  const int layers = random.Between(1, 3);
  for (int layer = 0; layer < layers; ++layer)
    on_each(rows, &body);
  on_each(columns, &body);
  if (random.Chance(0.5))
    body.push_back(Step(builder.All(),
                        {builder.AnyCollective("world", builder.NewSite("layers.py", function))}));
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(2, 20), std::move(body));
}

void AddSplit(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  const std::string function = "main>" + builder.NewName("regroup");
  const Ranks some =
      random.Sample(all, static_cast<std::size_t>(random.Between(1, builder.world() - 1)));
  const Site site = builder.NewSite("groups.py", function),
             use = builder.NewSite("groups.py", function);
  const bool rest_takes_part = random.Chance(0.7);
  // The host would wait in the split for what is queued, and for its peers, at once.
  builder.AddSync(&builder.script().nodes, all, function);
  std::vector<Node> body;
  const std::string name = builder.NewName("part"), other = builder.NewName("part");
  builder.Add(some, {builder.Plain("split", "color=0 as " + name, site)});
  builder.Add(Without(all, some),
              {builder.Plain("split", rest_takes_part ? "color=1 as " + other : "color=-", site)});
  builder.script().members[name] = some;
  Action call = builder.AnyCollective(name, use);
  if (call.root > 0) call.root = 0;
  body.push_back(Step(some, {call}));
  if (rest_takes_part) {
    builder.script().members[other] = Without(all, some);
    call.communicator = other;
    if (call.verb == "alltoall") call.count = 12 * (all.size() - some.size());
    body.push_back(Step(Without(all, some), {call}));
  }
  builder.AddSync(&body, all, function);
  builder.Add(random.Between(1, 12), std::move(body));
}

void AddCreation(Builder& builder) {
  Random& random = builder.random();
  const std::string name = builder.NewName("pg"), function = "main>" + builder.NewName("build");
  const Site site = builder.NewSite("groups.py", function);
  const Ranks ranks =
      random.Sample(builder.All(), static_cast<std::size_t>(random.Between(2, builder.world())));
  builder.AddSync(&builder.script().nodes, builder.All(), function);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string word =
        name + " size=" + std::to_string(ranks.size()) + " rank=" + std::to_string(i);
    builder.Add({ranks[i]}, {builder.Plain("init", word, site)});
  }
  builder.script().members[name] = ranks;
  std::vector<Node> body = {
      Step(ranks, {builder.AnyCollective(name, builder.NewSite("groups.py", function))})};
  builder.AddSync(&body, ranks, function);
  builder.Add(random.Between(1, 12), std::move(body));
  if (random.Chance(0.5)) {
    Action destroy = builder.Plain("destroy", "", builder.NewSite("groups.py", function));
    destroy.communicator = name;
    builder.Add(ranks, {destroy});
  }
}

void AddThread(Builder& builder) {
  Random& random = builder.random();
  const std::string name = builder.NewName("io"), function = "main>" + builder.NewName("prefetch");
  builder.Declare(name, builder.All());
  Action in_thread = builder.AnyCollective(name, builder.NewSite("io.py", "run>" + name));
  in_thread.thread = 1;
  in_thread.stream = builder.nccl() ? 7 : 0;
  const Action in_main = builder.AnyCollective("world", builder.NewSite("io.py", function));
  std::vector<Node> body = {Step(builder.All(), {in_thread, in_main})};
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(2, 20), std::move(body));
}

void AddSecondBackend(Builder& builder) {
  const std::string name = builder.NewName("cpu"), function = "main>" + builder.NewName("checked");
  builder.Declare(name, builder.All(), "gloo");
  std::vector<Node> body = {
      Step(builder.All(), {builder.Make("barrier", name, builder.NewSite("join.py", function)),
                           builder.AnyCollective("world", builder.NewSite("join.py", function))})};
  builder.AddSync(&body, builder.All(), function);
  builder.Add(builder.random().Between(2, 20), std::move(body));
}

void AddShrunk(Builder& builder) {
  Random& random = builder.random();
  const Ranks gone = random.Sample(
      builder.All(), static_cast<std::size_t>(random.Between(1, (builder.world() - 1) / 2)));
  const Ranks rest = Without(builder.All(), gone);
  const std::string name = builder.NewName("rest"), function = "main>" + builder.NewName("goon");
  std::string without;
  for (const int rank : gone)
    without += (without.empty() ? "" : ",") + std::to_string(rank);
  builder.AddSync(&builder.script().nodes, builder.All(), function);
  builder.Add(gone, {builder.Plain("exit", "0", builder.NewSite("main.py", "main"))});
  builder.Add(rest, {builder.Plain("shrink", "without=" + without + " as " + name,
                                   builder.NewSite("elastic.py", function))});
  builder.script().members[name] = rest;
  std::vector<Node> body = {
      Step(rest, {builder.AnyCollective(name, builder.NewSite("elastic.py", function))})};
  builder.AddSync(&body, rest, function);
  builder.Add(random.Between(1, 12), std::move(body));
}

}  // namespace rollcall::tests::generate
