#include <map>
#include <set>
#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {
namespace {

Ranks AnyPair(Builder& builder) {
  return builder.random().Sample(builder.All(), 2);
}

// A pair that also talked before, in step.
std::vector<Node> TalkBefore(Builder& builder, int from, int to, const Site& send_site,
                             const Site& recv_site) {
  if (builder.random().Chance(0.4)) return {};
  const Action send = Builder::Transfer("send", 256, to, "world", send_site),
               recv = Builder::Transfer("recv", 256, from, "world", recv_site);
  return {Loop(builder.random().Between(1, 6), {Step({from}, {send}), Step({to}, {recv})})};
}

// Whom each of some members waits for, of those that do not come to a call: all of them; who takes
// from a root that is among them, for the root.
std::map<int, Ranks> WaitedFor(const Action& action, const Ranks& members, const Ranks& waiting,
                               const Ranks& absent) {
  std::map<int, Ranks> waited_for;
  for (const int rank : waiting) {
    waited_for[rank] = absent;
    if (action.verb != "broadcast" && action.verb != "scatter") continue;
    const int root = members[static_cast<std::size_t>(action.root)];
    if (rank != root && Contains(absent, root)) waited_for[rank] = {root};
  }
  return waited_for;
}

// Ranks of two sides of which each waits for one of the other that waits for it.
Ranks OnCircle(const std::map<int, Ranks>& first_wait, const Ranks& first,
               const std::map<int, Ranks>& second_wait, const Ranks& second) {
  std::set<int> found;
  for (const int x : first) {
    for (const int y : second) {
      if (Contains(first_wait.at(x), y) && Contains(second_wait.at(y), x)) found.insert({x, y});
    }
  }
  return {found.begin(), found.end()};
}

// Ranks outside of the communicator would miss it elsewhere.
std::function<bool(const Context&)> OfAll(const Builder& builder) {
  return [all = builder.All()](const Context& context) { return context.step.ranks == all; };
}

}  // namespace

std::optional<Expectation> CrossCommunicators(Builder& builder) {
  Random& random = builder.random();
  const std::string first = builder.NewName("first"), second = builder.NewName("second");
  const Ranks wide =
      random.Sample(builder.All(), static_cast<std::size_t>(random.Between(2, builder.world())));
  const Ranks narrow =
      random.Chance(0.5)
          ? wide
          : random.Sample(
                wide, static_cast<std::size_t>(random.Between(2, static_cast<int>(wide.size()))));
  builder.Declare(first, wide);
  builder.Declare(second, narrow);
  const std::string function = "main>" + builder.NewName("cross");
  const Action a = builder.AnyCollective(first, builder.NewSite("cross.py", function)),
               b = builder.AnyCollective(second, builder.NewSite("cross.py", function));
  Ranks deviators = Minority(random, narrow, true);
  std::vector<Node> nodes;
  const Ranks a_only = Without(wide, narrow), both = Without(narrow, deviators);
  if (random.Chance(0.5))
    nodes.push_back(Loop(random.Between(1, 8), {Step(wide, {a}), Step(narrow, {b})}));
  nodes.push_back(Step(both, {a, b}));
  nodes.push_back(Step(a_only, {a}));
  nodes.push_back(Step(deviators, {b, a}));
  builder.AddSync(&nodes, wide, function);
  InsertSomewhere(builder, std::move(nodes));
  // Those absent from the call of the larger group, because they are in the other one, when they
  // are few; else all on the smallest circles.
  const bool few = 2 * deviators.size() < wide.size();
  const Ranks on_circle = OnCircle(WaitedFor(a, wide, both, deviators), both,
                                   WaitedFor(b, narrow, deviators, both), deviators);
  if (on_circle.empty()) return std::nullopt;
  Answer answer{"deadlock_cycle", few ? deviators : on_circle, "", false, {}};
  answer.lines[few ? deviators.front() : Without(on_circle, both).front()] = b.site.Line();
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> FaceEachOther(Builder& builder) {
  Random& random = builder.random();
  const Ranks ring = random.Sample(
      builder.All(), static_cast<std::size_t>(random.Between(2, std::min(builder.world(), 4))));
  const std::string function = "main>" + builder.NewName("swap");
  const Site send_site = builder.NewSite("swap.py", function),
             recv_site = builder.NewSite("swap.py", function);
  const bool receive_first = random.Chance(0.3);
  std::vector<Node> nodes;
  Answer answer{"deadlock_cycle", ring, "", false, {}};
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const int next = ring[(i + 1) % ring.size()], last = ring[(i + ring.size() - 1) % ring.size()];
    const Action send = Builder::Transfer("send", 1024, next, "world", send_site),
                 recv = Builder::Transfer("recv", 1024, last, "world", recv_site);
    nodes.push_back(receive_first ? Step({ring[i]}, {recv, send}) : Step({ring[i]}, {send, recv}));
    answer.lines[ring[i]] = (receive_first ? recv_site : send_site).Line();
  }
  builder.AddSync(&nodes, ring, function);
  InsertSomewhere(builder, std::move(nodes));
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> LosePartner(Builder& builder) {
  Random& random = builder.random();
  const Ranks pair = AnyPair(builder);
  const bool sends = random.Chance(0.5);
  const std::string function = "main>" + builder.NewName("stage");
  const Site send_site = builder.NewSite("stage.py", function),
             recv_site = builder.NewSite("stage.py", function);
  const int waits = random.Chance(0.5) ? pair[0] : pair[1], leaves = pair[0] + pair[1] - waits;
  std::vector<Node> nodes = sends ? TalkBefore(builder, waits, leaves, send_site, recv_site)
                                  : TalkBefore(builder, leaves, waits, send_site, recv_site);
  const Action call = sends ? Builder::Transfer("send", 256, leaves, "world", send_site)
                            : Builder::Transfer("recv", 256, leaves, "world", recv_site);
  const Site elsewhere = builder.NewSite("other.py", "main>other");
  nodes.push_back(Step({waits}, {call}));
  const bool exits = random.Chance(0.5);
  nodes.push_back(Step({leaves}, {exits ? builder.Plain("exit", "0", elsewhere)
                                        : builder.Plain("busy", "", elsewhere)}));
  builder.AddSync(&nodes, {waits}, function);
  const std::size_t size = nodes.size();
  const std::size_t at = InsertSomewhere(builder, std::move(nodes));
  RemoveRanks(&builder.script(), at + size, {leaves});
  if (AreTalkedTo(builder.script(), at + size, {leaves})) return std::nullopt;
  const Answer unmatched{
      "p2p_unmatched", pair, "", false, {{waits, call.site.Line()}, {leaves, elsewhere.Line()}}};
  const Answer gone{
      exits ? "early_exit" : "missing_rank", {leaves}, "", false, {{leaves, elsewhere.Line()}}};
  return Expectation{"", {unmatched, gone}, "others wait for it in a collective as well"};
}

std::optional<Expectation> ChangeTransferSize(Builder& builder) {
  Random& random = builder.random();
  const Ranks pair = AnyPair(builder);
  const std::string function = "main>" + builder.NewName("stage");
  const Site send_site = builder.NewSite("stage.py", function),
             recv_site = builder.NewSite("stage.py", function);
  std::vector<Node> nodes = TalkBefore(builder, pair[0], pair[1], send_site, recv_site);
  Action send = Builder::Transfer("send", 256, pair[1], "world", send_site),
         recv = Builder::Transfer("recv", 256, pair[0], "world", recv_site);
  (random.Chance(0.5) ? send : recv).count += static_cast<std::uint64_t>(random.Between(1, 300));
  nodes.push_back(Step({pair[0]}, {send}));
  nodes.push_back(Step({pair[1]}, {recv}));
  builder.AddSync(&nodes, pair, function);
  InsertSomewhere(builder, std::move(nodes));
  const Answer answer{
      "p2p_mismatch", pair, "", false, {{pair[0], send_site.Line()}, {pair[1], recv_site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> ChangeTag(Builder& builder) {
  if (builder.nccl()) return std::nullopt;  // knows no tags
  const Ranks pair = AnyPair(builder);
  const std::string function = "main>" + builder.NewName("stage");
  const Site send_site = builder.NewSite("stage.py", function),
             recv_site = builder.NewSite("stage.py", function);
  Action send = Builder::Transfer("send", 256, pair[1], "world", send_site),
         recv = Builder::Transfer("recv", 256, pair[0], "world", recv_site);
  send.tag = builder.random().Between(0, 4);
  recv.tag = send.tag + 1;
  InsertSomewhere(builder, {Step({pair[0]}, {send}), Step({pair[1]}, {recv})});
  const Answer answer{
      "p2p_mismatch", pair, "", false, {{pair[0], send_site.Line()}, {pair[1], recv_site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> StallDevice(Builder& builder) {
  if (!builder.nccl()) return std::nullopt;
  std::optional<Target> target = AnyTarget(builder, [&](const Context& context) {
    return !builder.script().Blocks(context.action.communicator);
  });
  if (!target) return std::nullopt;
  target->deviators = {builder.random().Pick(target->members)};
  // Its peers have to get further, and to need it again.
  bool needed = false;
  std::size_t behind = target->index;
  for (const Action* next = NextCall(builder.script(), behind, target->deviators.front());
       next != nullptr && !needed && behind + 1 < builder.script().nodes.size();
       next = NextCall(builder.script(), ++behind, target->deviators.front()))
    needed = IsCollective(*next) && next->communicator == target->action.communicator &&
             next->thread == 0 && next->stream == 0;
  if (!needed) return std::nullopt;
  Action stalled = target->action;
  stalled.state = "!queued";
  builder.script().nodes[SetApart(builder, &*target)].actions = {stalled};
  const Answer answer{"device_stall",
                      target->deviators,
                      "",
                      false,
                      {{target->deviators.front(), stalled.site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> AbortAlone(Builder& builder) {
  // Under NCCL hosts go on to other communicators and miss it there.
  if (builder.nccl() && (RunsAside(builder.script()) || builder.script().members.size() > 1))
    return std::nullopt;
  std::optional<Target> target = AnyTarget(builder, OfAll(builder));
  if (!target) return std::nullopt;
  target->deviators = {builder.random().Pick(target->members)};
  Action abort = builder.Plain("abort", "", builder.NewSite("main.py", "main>cleanup"));
  abort.communicator = target->action.communicator;
  const std::size_t index = SetApart(builder, &*target);
  builder.script().nodes[index].actions = {abort};
  RemoveRanks(&builder.script(), index + 1, target->deviators);
  if (AreTalkedTo(builder.script(), index + 1, target->deviators)) return std::nullopt;
  const Answer answer{
      "aborted", target->deviators, "", false, {{target->deviators.front(), abort.site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> LeaveGroupOpen(Builder& builder) {
  if (!builder.nccl()) return std::nullopt;
  const std::optional<Target> target = AnyTarget(builder);
  if (!target) return std::nullopt;
  const Action start = builder.Plain(
      "group_start", "", builder.NewSite("fuse.py", target->action.site.functions + ">fuse"));
  const Ranks deviators = {builder.random().Pick(target->members)};
  std::vector<Node>& nodes = builder.script().nodes;
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(target->index),
               Step(deviators, {start}));
  const Answer answer{
      "group_misuse", deviators, "", false, {{deviators.front(), start.site.Line()}}};
  return Expectation{"", {answer}, ""};
}

std::optional<Expectation> UseAfterDestroy(Builder& builder) {
  // Under NCCL hosts go on to other communicators and miss it there.
  if (builder.nccl() && (RunsAside(builder.script()) || builder.script().members.size() > 1))
    return std::nullopt;
  std::optional<Target> target = AnyTarget(builder, OfAll(builder));
  if (!target) return std::nullopt;
  target->deviators = {builder.random().Pick(target->members)};
  Action destroy = builder.Plain("destroy", "", builder.NewSite("main.py", "main>cleanup"));
  destroy.communicator = target->action.communicator;
  const std::size_t index = SetApart(builder, &*target);
  builder.script().nodes[index].actions = {destroy, target->action};
  RemoveRanks(&builder.script(), index + 1, target->deviators);
  if (AreTalkedTo(builder.script(), index + 1, target->deviators)) return std::nullopt;
  const Answer answer{"group_misuse",
                      target->deviators,
                      "",
                      false,
                      {{target->deviators.front(), target->action.site.Line()}}};
  return Expectation{"", {answer}, ""};
}

}  // namespace rollcall::tests::generate
