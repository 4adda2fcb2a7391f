#include <utility>

#include "tests/generate/phases.h"

namespace rollcall::tests::generate {

void AddSetup(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("setup");
  std::vector<Action> actions;
  const int parameters = random.Between(1, 4);
  for (int i = 0; i < parameters; ++i) {
    actions.push_back(builder.Make("broadcast", "world", builder.NewSite("model.py", function)));
    if (random.Chance(0.3)) actions.back().times = random.Between(2, 6);
  }
  if (random.Chance(0.5))
    actions.push_back(builder.Make("allgather", "world", builder.NewSite("model.py", function)));
  builder.Add(builder.All(), std::move(actions));
  if (random.Chance(0.6))
    builder.Add(builder.All(),
                {builder.Make("barrier", "world", builder.NewSite("main.py", "main"))});
}

void AddTraining(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  const std::string function = "main>" + builder.NewName("train");
  const auto backward = [&](const char* file) {
    return builder.Plain("backward", "", builder.NewSite(file, function));
  };
  std::vector<Node> step;
  if (random.Chance(0.3)) {
    Action slow = builder.Plain("late", "0.", builder.NewSite("data.py", function));
    slow.word += std::to_string(random.Between(1, 9));
    step.push_back(Step({random.Between(0, builder.world() - 1)}, {slow}));
  }
  if (random.Chance(0.3)) {
    // Accumulated without communication.
    step.push_back(Loop(random.Between(1, 3), {Step(all, {backward("train.py")})}));
  }
  std::vector<Action> reduced = {backward("train.py")};
  const Site pass = reduced.front().site;
  // By the framework at the line of the backward pass, or by the user behind it.
  const bool in_backward = random.Chance(0.5);
  const int buckets = random.Between(1, 5);
  for (int i = 0; i < buckets; ++i) {
    Action bucket = builder.Make("allreduce", "world",
                                 in_backward ? pass : builder.NewSite("train.py", function));
    bucket.datatype = "f32";
    bucket.redop = "sum";
    bucket.count = static_cast<std::uint64_t>(random.Between(100, 200'000));
    bucket.in_backward = in_backward;
    reduced.push_back(bucket);
  }
  step.push_back(Step(all, std::move(reduced)));
  builder.AddSync(&step, all, function);
  const int steps = random.Between(3, random.Chance(0.05) ? 400 : 30);
  std::vector<Node> epoch = {Loop(steps, std::move(step))};
  builder.GoOnInMain(&epoch);
  if (random.Chance(0.6)) {
    const std::string evaluate = "main>" + builder.NewName("evaluate");
    std::vector<Action> metrics;
    const int kinds = random.Between(1, 3);
    for (int i = 0; i < kinds; ++i)
      metrics.push_back(builder.AnyCollective("world", builder.NewSite("eval.py", evaluate)));
    std::vector<Node> batch = {Step(all, std::move(metrics))};
    builder.AddSync(&batch, all, evaluate);
    epoch.push_back(Loop(random.Between(2, 8), std::move(batch)));
  }
  builder.GoOnInMain(&epoch);
  if (random.Chance(0.5)) {
    // The first rank writes, all wait for it.
    Action writes = builder.Plain("late", "1.5", builder.NewSite("save.py", "main>save"));
    epoch.push_back(Step({0}, {writes}));
    epoch.push_back(
        Step(all, {builder.Make("barrier", "world", builder.NewSite("save.py", "main>save"))}));
    builder.AddSync(&epoch, all, "main");
  }
  builder.Add(random.Between(1, 4), std::move(epoch));
}

void AddMixture(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  const std::string function = "main>" + builder.NewName("compute");
  std::vector<Action> calls;
  const int count = random.Between(1, 6);
  for (int i = 0; i < count; ++i) {
    calls.push_back(builder.AnyCollective("world", builder.NewSite("compute.py", function)));
    calls.back().times = random.Chance(0.1) ? random.Between(2, 4) : 1;
  }
  std::vector<Node> body = {Step(all, std::move(calls))};
  if (random.Chance(0.3)) {
    std::vector<Node> inner = {
        Step(all, {builder.AnyCollective("world", builder.NewSite("compute.py", function))})};
    body.push_back(Loop(random.Between(2, 5), std::move(inner)));
  }
  if (random.Chance(0.5)) builder.AddSync(&body, all, function);
  builder.Add(random.Between(3, random.Chance(0.03) ? 500 : 25), std::move(body));
  if (random.Chance(0.5)) {
    builder.Add(all, {builder.AnyCollective("world", builder.NewSite("main.py", "main"))});
  }
}

void AddBranches(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  const Ranks few =
      random.Sample(all, static_cast<std::size_t>(random.Between(1, builder.world() - 1)));
  const bool one_function = builder.is_clear() || random.Chance(0.5);
  const std::string caller = "main>" + builder.NewName("report");
  const std::string here = one_function ? caller : caller + ">first",
                    there = one_function ? caller : caller + ">rest";
  Action call = builder.AnyCollective("world", builder.NewSite("report.py", here));
  Action same = call;
  same.site = builder.NewSite("report.py", there);
  if (call.verb != "barrier" && random.Chance(0.3)) same.in_place = true;
  std::vector<Node> body = {Step(few, {call}), Step(Without(all, few), {same})};
  if (random.Chance(0.5))
    body.push_back(
        Step(all, {builder.AnyCollective("world", builder.NewSite("report.py", caller))}));
  builder.Add(random.Between(2, 20), std::move(body));
}

void AddUnevenExchange(Builder& builder) {
  const std::string function = "main>" + builder.NewName("dispatch");
  const std::vector<Action> there = builder.UnevenExchange(builder.NewSite("moe.py", function)),
                            back = builder.UnevenExchange(builder.NewSite("moe.py", function));
  std::vector<Node> body;
  for (std::size_t rank = 0; rank < there.size(); ++rank)
    body.push_back(Step({static_cast<int>(rank)}, {there[rank], back[rank]}));
  builder.AddSync(&body, builder.All(), function);
  builder.Add(builder.random().Between(2, 12), std::move(body));
}

void AddAsync(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("overlap");
  std::vector<Action> actions;
  const int begun = random.Between(2, 5);
  for (int i = 0; i < begun; ++i) {
    actions.push_back(builder.AnyCollective("world", builder.NewSite("overlap.py", function)));
    actions.back().async = true;
  }
  actions.push_back(builder.Plain("wait", "", builder.NewSite("overlap.py", function)));
  builder.Add(random.Between(2, 20), {Step(builder.All(), std::move(actions))});
}

void AddSlowRank(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  const std::string function = "main>" + builder.NewName("validate");
  const Ranks slow =
      random.Sample(all, static_cast<std::size_t>(random.Between(1, (builder.world() + 1) / 2)));
  Action late = builder.Plain("late", std::to_string(random.Between(1, 12)),
                              builder.NewSite("disk.py", function));
  std::vector<Node> body = {
      Step(slow, {late}),
      Step(all, {builder.AnyCollective("world", builder.NewSite("disk.py", function))})};
  builder.AddSync(&body, all, function);
  builder.Add(random.Between(4, 12), std::move(body));
}

}  // namespace rollcall::tests::generate
