#include <utility>

#include "tests/generate/phases.h"

namespace rollcall::tests::generate {
namespace {

Action Grouped(std::vector<Action> members) {
  Action group;
  group.verb = "group";
  group.members = std::move(members);
  return group;
}

}  // namespace

void AddRing(Builder& builder) {
  Random& random = builder.random();
  const int world = builder.world();
  const std::string function = "main>" + builder.NewName("ring");
  const Site send_site = builder.NewSite("ring.py", function),
             recv_site = builder.NewSite("ring.py", function);
  const auto count = static_cast<std::uint64_t>(random.Between(1, 4096));
  const bool grouped = builder.nccl() || random.Chance(0.5);
  std::vector<Node> body;
  for (int rank = 0; rank < world; ++rank) {
    Action send = Builder::Transfer("send", count, (rank + 1) % world, "world", send_site);
    Action recv = Builder::Transfer("recv", count, (rank + world - 1) % world, "world", recv_site);
    std::vector<Action> actions = {send, recv};
    // One after the other, somebody has to begin with receiving.
    if (!grouped && rank % 2 == 1) actions = {recv, send};
    if (grouped) actions = {Grouped(std::move(actions))};
    body.push_back(Step({rank}, std::move(actions)));
  }
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(1, 15), std::move(body));
}

void AddExchange(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("exchange");
  const Site low_site = builder.NewSite("halo.py", function),
             high_site = builder.NewSite("halo.py", function);
  const bool grouped = builder.nccl() || random.Chance(0.5);
  const int tag = builder.nccl() || random.Chance(0.5) ? -1 : random.Between(0, 9);
  std::vector<Node> body;
  for (int low = 0; low + 1 < builder.world(); low += 2) {
    const auto there = static_cast<std::uint64_t>(random.Between(1, 999)),
               back = static_cast<std::uint64_t>(random.Between(1, 999));
    std::vector<Action> of_low = {Builder::Transfer("send", there, low + 1, "world", low_site),
                                  Builder::Transfer("recv", back, low + 1, "world", high_site)};
    std::vector<Action> of_high = {Builder::Transfer("recv", there, low, "world", low_site),
                                   Builder::Transfer("send", back, low, "world", high_site)};
    for (std::vector<Action>* actions : {&of_low, &of_high}) {
      for (Action& action : *actions)
        action.tag = tag;
      if (grouped) *actions = {Grouped(std::move(*actions))};
    }
    body.push_back(Step({low}, std::move(of_low)));
    body.push_back(Step({low + 1}, std::move(of_high)));
  }
  body.push_back(
      Step(builder.All(), {builder.AnyCollective("world", builder.NewSite("halo.py", function))}));
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(1, 15), std::move(body));
}

// One forward, one backward, as Megatron schedules it.
void AddPipeline(Builder& builder) {
  Random& random = builder.random();
  const int stages = builder.world();
  const std::string function = "main>" + builder.NewName("schedule");
  const Site recv_forward = builder.NewSite("pipe.py", function),
             send_forward = builder.NewSite("pipe.py", function),
             recv_backward = builder.NewSite("pipe.py", function),
             send_backward = builder.NewSite("pipe.py", function);
  const auto count = static_cast<std::uint64_t>(random.Between(64, 8192));
  const int batches = random.Between(stages, stages + 6);
  std::vector<Node> body;
  for (int stage = 0; stage < stages; ++stage) {
    const bool first = stage == 0, last = stage == stages - 1;
    const Action take = Builder::Transfer("recv", count, stage - 1, "world", recv_forward),
                 pass = Builder::Transfer("send", count, stage + 1, "world", send_forward),
                 take_back = Builder::Transfer("recv", count, stage + 1, "world", recv_backward),
                 pass_back = Builder::Transfer("send", count, stage - 1, "world", send_backward);
    const int warm = stages - 1 - stage;
    std::vector<Action> forward, steady, backward;
    if (!first) forward.push_back(take);
    if (!last) forward.push_back(pass);
    if (!first) steady.push_back(take);
    if (!last) steady.push_back(Grouped({pass, take_back}));
    if (!first) steady.push_back(pass_back);
    if (!last) backward.push_back(take_back);
    if (!first) backward.push_back(pass_back);
    if (warm > 0) body.push_back(Loop(warm, {Step({stage}, std::move(forward))}));
    body.push_back(Loop(batches - warm, {Step({stage}, std::move(steady))}));
    if (warm > 0) body.push_back(Loop(warm, {Step({stage}, std::move(backward))}));
  }
  body.push_back(Step(builder.All(),
                      {builder.Make("allreduce", "world", builder.NewSite("pipe.py", function))}));
  builder.AddSync(&body, builder.All(), function);
  builder.Add(random.Between(1, 4), std::move(body));
}

}  // namespace rollcall::tests::generate
