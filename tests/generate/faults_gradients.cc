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
  if (random.Chance(0.5))
    epoch.push_back(
        Step(all, {builder.Make("allgather", "world", builder.NewSite("eval.py", "main>eval"))}));
  epoch.push_back(
      Step(all, {builder.Make("barrier", "world", builder.NewSite("main.py", "main"))}));
  builder.AddSync(&epoch, all, "main");
  builder.Add(random.Between(1, 4), std::move(epoch));
  Answer answer{"no_gradient_sync", all, "", false, {}};
  answer.lines[0] = backward.site.Line();
  return Expectation{"", {answer}, ""};
}

}  // namespace rollcall::tests::generate
