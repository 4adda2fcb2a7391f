#include <utility>

#include "tests/generate/fault.h"
#include "tests/generate/fault_places.h"

namespace rollcall::tests::generate {
namespace {

// All ranks but one create a group; the one does something else.
std::optional<Expectation> Create(
    Builder& builder,
    const std::function<Action(const Action&, const std::string& size)>& instead) {
  Random& random = builder.random();
  // Of all ranks: who is absent from a smaller one cannot be known.
  const Ranks members = builder.All();
  const int deviator = random.Pick(members);
  const std::string name = builder.NewName("pg"),
                    size = name + " size=" + std::to_string(members.size());
  const Site site = builder.NewSite("groups.py", "main>" + builder.NewName("build"));
  std::vector<Node> nodes;
  Answer answer{"init_incomplete", {deviator}, "", false, {}};
  for (std::size_t i = 0; i < members.size(); ++i) {
    Action init = builder.Plain("init", size + " rank=" + std::to_string(i), site);
    if (members[i] == deviator) {
      init = instead(init, name);
      answer.lines[deviator] = init.site.Line();
    }
    nodes.push_back(Step({members[i]}, {init}));
  }
  const std::size_t count = nodes.size();
  const std::size_t at = InsertSomewhere(builder, std::move(nodes));
  RemoveRanks(&builder.script(), at + count, {deviator});
  if (AreTalkedTo(builder.script(), at + count, {deviator})) return std::nullopt;
  return Expectation{"", {answer}, ""};
}

// In front of everything.
void Begin(Builder& builder, std::vector<Node> nodes) {
  std::vector<Node>& all = builder.script().nodes;
  all.insert(all.begin(), std::make_move_iterator(nodes.begin()),
             std::make_move_iterator(nodes.end()));
}

// Threads and restarts would begin on their own.
bool IsPlain(const Script& script) {
  return BeginOfLastStart(script) == 0 && !RunsAside(script);
}

}  // namespace

std::optional<Expectation> MissCreation(Builder& builder) {
  return Create(builder, [&](const Action&, const std::string&) {
    return builder.Plain("busy", "", builder.NewSite("load.py", "main>load"));
  });
}

std::optional<Expectation> DisagreeOnSize(Builder& builder) {
  if (builder.world() < 3) return std::nullopt;
  return Create(builder, [&](const Action& init, const std::string&) {
    Action other = init;
    other.word.replace(other.word.find("size=") + 5,
                       other.word.find(" rank=") - other.word.find("size=") - 5,
                       std::to_string(builder.world() + 1));
    return other;
  });
}

std::optional<Expectation> FailCreation(Builder& builder) {
  return Create(builder, [&](const Action& init, const std::string&) {
    Action fails = init;
    fails.word += " fails " + std::to_string(builder.random().Between(1, 3));
    return fails;
  });
}

std::optional<Expectation> MissRendezvous(Builder& builder) {
  if (!IsPlain(builder.script())) return std::nullopt;
  const Ranks missing = Minority(builder.random(), builder.All());
  const Action rendezvous = builder.Plain("rendezvous", "size=" + std::to_string(builder.world()),
                                          builder.NewSite("start.py", "main"));
  Begin(builder, {Step(Without(builder.All(), missing), {rendezvous}),
                  Step(missing, {builder.Plain("absent", "", {})})});
  RemoveRanks(&builder.script(), 2, missing);
  Expectation expectation{"", {{"init_incomplete", missing, "", false, {}}}, ""};
  if (missing.size() > 1) {
    expectation.answers.push_back({"init_incomplete", {}, "", false, {}});
    expectation.why_several = "one of them may have come, and its trace be lost";
  }
  return expectation;
}

std::optional<Expectation> ClaimRankTwice(Builder& builder) {
  if (!IsPlain(builder.script())) return std::nullopt;
  Script& script = builder.script();
  const int rank = builder.random().Between(0, builder.world() - 1);
  const std::string name = "twin";
  script.facts.push_back("process " + name + " rank=" + std::to_string(rank));
  const std::vector<const Action*> actions = ActionsOf(script.nodes, rank);
  std::string statement;
  for (const Action* action : actions) {
    if (!IsCollective(*action) || action->communicator != "world" || action->thread != 0) continue;
    Action once = *action;
    once.times = 1;
    statement = name + ": " + TextOf(once);
    break;
  }
  if (statement.empty()) return std::nullopt;
  script.facts.push_back(statement);
  return Expectation{"", {{"duplicate_rank", {rank}, "", false, {}}}, ""};
}

std::optional<Expectation> BeAlone(Builder& builder) {
  Script& script = builder.script();
  script.nodes.clear();
  script.facts = {"env * WORLD_SIZE=1"};
  const Site start = builder.NewSite("start.py", "main"),
             reduce = builder.NewSite("train.py", "main>train");
  for (const int rank : script.All()) {
    const std::string word = "world size=1 rank=0 id=" + std::string("w") + std::to_string(rank);
    builder.Add({rank}, {builder.Plain("init", word, start)});
  }
  Action call = builder.Make("allreduce", "world", reduce);
  call.times = builder.random().Between(2, 40);
  builder.Add(builder.All(), {call});
  return Expectation{"", {{"world_size", script.All(), "", false, {}}}, ""};
}

std::optional<Expectation> ShareDevice(Builder& builder) {
  if (!builder.nccl() || !IsPlain(builder.script())) return std::nullopt;
  Random& random = builder.random();
  const Ranks pair = random.Sample(builder.All(), 2);
  std::vector<Node> nodes;
  for (const int rank : builder.All()) {
    const int device = rank == pair[1] ? pair[0] : rank;
    nodes.push_back(Step({rank}, {builder.Plain("device", std::to_string(device), {})}));
  }
  Action init = builder.Plain("init", "world size=" + std::to_string(builder.world()),
                              builder.NewSite("start.py", "main"));
  init.state = "!entered";
  nodes.push_back(Step(builder.All(), {init}));
  Begin(builder, std::move(nodes));
  return Expectation{"", {{"duplicate_device", pair, "", false, {}}}, ""};
}

std::optional<Expectation> DifferInEnvironment(Builder& builder) {
  if (!builder.nccl()) return std::nullopt;
  static const std::vector<std::pair<std::string, std::string>> kVariables = {
      {"NCCL_PROTO=Simple", "NCCL_PROTO=LL"}, {"NCCL_ALGO=Tree", "NCCL_ALGO=Ring"}};
  const auto& [value, other] = builder.random().Pick(kVariables);
  const Ranks deviators = Minority(builder.random(), builder.All(), true);
  const bool tie = 2 * deviators.size() == builder.All().size();
  for (const int rank : builder.All())
    builder.script().facts.push_back("env " + std::to_string(rank) + " " +
                                     (Contains(deviators, rank) ? other : value));
  return Expectation{"", {{"env_mismatch", tie ? builder.All() : deviators, "", tie, {}}}, ""};
}

}  // namespace rollcall::tests::generate
