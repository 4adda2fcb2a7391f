#include "tests/generate/correct_job.h"

#include <vector>

#include "tests/generate/not_asserted.h"
#include "tests/generate/phases.h"

namespace rollcall::tests::generate {
namespace {

using Phase = void (*)(Builder&);

void AddPhase(Builder& builder) {
  static const std::vector<Phase> kAnywhere = {
      AddSetup, AddTraining, AddTraining, AddTraining, AddMixture, AddMixture,  AddMixture,
      AddRing,  AddExchange, AddPipeline, AddGrid,     AddSplit,   AddCreation, AddUnevenExchange};
  static const std::vector<Phase> kGloo = {AddAsync};
  static const std::vector<Phase> kNccl = {AddStreams, AddGraph, AddGroupedCalls, AddSecondBackend};
  std::vector<Phase> phases = kAnywhere;
  const std::vector<Phase>& further = builder.nccl() ? kNccl : kGloo;
  phases.insert(phases.end(), further.begin(), further.end());
  if (!builder.is_clear()) phases.push_back(AddThread);
  if (!builder.is_clear() || kBranchesWithFaults) phases.push_back(AddBranches);
  builder.random().Pick(phases)(builder);
}

// All ranks, or each with its own way to say that it is done.
void AddEnd(Builder& builder) {
  Random& random = builder.random();
  const Ranks all = builder.All();
  // Nobody leaves work behind that is still queued.
  builder.AddSync(&builder.script().nodes, all, "main");
  switch (random.Between(0, 5)) {
    case 0:
      builder.Add(all, {builder.Plain("exit", "0", {})});
      break;
    case 1:
      builder.Add(all, {builder.Plain("destroy", "", builder.NewSite("main.py", "main")),
                        builder.Plain("exit", "0", {})});
      break;
    case 2:
      builder.Add(all, {builder.Plain("finalize", "", builder.NewSite("main.py", "main")),
                        builder.Plain("destroy", "", builder.NewSite("main.py", "main"))});
      break;
    case 3:
      builder.Add({0}, {builder.Plain("late", "20", builder.NewSite("save.py", "main>save"))});
      builder.Add(all, {builder.Plain("exit", "0", builder.NewSite("main.py", "main"))});
      break;
    default:
      break;
  }
}

// Looked at in the middle: a rank works, its peers have just come.
void AddRunning(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("step");
  const Ranks busy = random.Sample(
      builder.All(), static_cast<std::size_t>(random.Between(1, builder.world() - 1)));
  const Action call = builder.AnyCollective("world", builder.NewSite("step.py", function));
  // From here on nobody is ahead of the others.
  builder.Add(builder.All(),
              {builder.Make("barrier", "world", builder.NewSite("main.py", "main"))});
  builder.AddSync(&builder.script().nodes, builder.All(), "main");
  std::vector<Node> body = {Step(builder.All(), {call})};
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(2, 9), std::move(body));
  builder.Add(busy, {builder.Plain("busy", "", builder.NewSite("step.py", function))});
  if (random.Chance(0.8)) {
    builder.Add(Without(builder.All(), busy), {call});
    builder.AddSync(&builder.script().nodes, Without(builder.All(), busy), function);
  }
  builder.script().seconds_later = random.Between(1, 2);
}

}  // namespace

Builder NewBuilder(Random& random, int least_world) {
  const int world = random.Chance(0.15) ? random.Between(9, 16) : random.Between(least_world, 8);
  return Builder(random, world, random.Chance(0.5));
}

void BuildCorrectJob(Builder& builder, const Extent& extent) {
  Random& random = builder.random();
  const bool restarts = extent.may_restart && random.Chance(0.06);
  if (restarts) {
    AddSetup(builder);
    AddTraining(builder);
    builder.Add(builder.All(), {builder.Plain("restart", "", {})});
  }
  const int phases = random.Between(1, 5);
  for (int i = 0; i < phases; ++i) {
    builder.script().boundaries.push_back(builder.script().nodes.size());
    builder.GoOnInMain(&builder.script().nodes);
    AddPhase(builder);
  }
  builder.script().boundaries.push_back(builder.script().nodes.size());
  if (builder.has_slow_ranks()) AddSlowRank(builder);
  if (extent.may_run_on && random.Chance(0.1)) {
    AddRunning(builder);
  } else if (extent.may_shrink && builder.world() > 2 && random.Chance(0.04)) {
    AddShrunk(builder);
  } else {
    AddEnd(builder);
  }
}

}  // namespace rollcall::tests::generate
