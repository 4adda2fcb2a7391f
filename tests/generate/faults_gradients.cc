#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {

// The model is not wrapped: every rank trains alone, and meets the others for metrics and
// checkpoints.
std::optional<Expectation> ForgetGradients(Builder& builder) {
  Random& random = builder.random();
  Script& script = builder.script();
  script.nodes.clear();
  script.facts.clear();
  const std::string function = "main>" + builder.NewName("train");
  const Ranks all = builder.All();
  builder.Add(all, {builder.Make("broadcast", "world", builder.NewSite("main.py", "main"))});
  const Action backward = builder.Plain("backward", "", builder.NewSite("train.py", function));
  std::vector<Node> epoch = {Loop(random.Between(10, 60), {Step(all, {backward})})};
  if (random.Chance(0.5)) {
    // Of integers: floating-point numbers could be gradients that go another way.
    Action metric = builder.Make("allgather", "world", builder.NewSite("eval.py", "main>eval"));
    metric.datatype = "i64";
    epoch.push_back(Step(all, {metric}));
  }
  epoch.push_back(
      Step(all, {builder.Make("barrier", "world", builder.NewSite("main.py", "main"))}));
  builder.AddSync(&epoch, all, "main");
  builder.Add(random.Between(1, 4), std::move(epoch));
  Answer answer{"no_gradient_sync", all, "", false, {}};
  answer.lines[0] = backward.site.Line();
  return Expectation{"", {answer}, ""};
}

// The model is wrapped, and the user reduces the gradients of all parameters again.
std::optional<Expectation> ReduceTwice(Builder& builder) {
  Random& random = builder.random();
  const std::string function = "main>" + builder.NewName("train");
  const Ranks all = builder.All();
  const Action backward = builder.Plain("backward", "", builder.NewSite("train.py", function));
  const Site average = builder.NewSite("average.py", function + ">average_gradients");
  std::vector<Action> step = {backward}, again;
  const int buckets = random.Between(1, 3);
  for (int i = 0; i < buckets; ++i) {
    Action bucket = builder.Make("allreduce", "world", backward.site);
    bucket.datatype = "f32";
    bucket.redop = "sum";
    bucket.count = static_cast<std::uint64_t>(random.Between(1000, 200'000));
    bucket.in_backward = true;
    step.push_back(bucket);
    // A bucket holds several parameters.
    const auto first = bucket.count / static_cast<std::uint64_t>(random.Between(2, 5));
    for (const std::uint64_t count : {first, bucket.count - first}) {
      Action parameter = bucket;
      parameter.in_backward = false;
      parameter.count = count;
      parameter.site = average;
      again.push_back(parameter);
    }
  }
  step.insert(step.end(), again.begin(), again.end());
  std::vector<Node> body = {Step(all, std::move(step))};
  builder.AddSync(&body, all, function);
  InsertSomewhere(builder, {Loop(random.Between(4, 30), std::move(body))});
  Answer answer{"double_gradient_sync", all, "", false, {}};
  answer.lines[0] = average.Line();
  return Expectation{"", {answer}, ""};
}

}  // namespace rollcall::tests::generate
