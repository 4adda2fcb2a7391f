#include "tests/generate/builder.h"

#include <numeric>
#include <utility>

namespace rollcall::tests::generate {

Builder::Builder(Random& random, int world, bool nccl) : random_(random) {
  script_.world = world;
  script_.nccl = nccl;
  script_.members["world"] = script_.All();
}

Site Builder::NewSite(const std::string& file, const std::string& functions) {
  int& line = lines_[file];
  line += random_.Between(2, 9);
  return {file, line, functions};
}

std::string Builder::NewName(const std::string& like) {
  const int number = names_[like]++;
  return number == 0 ? like : like + std::to_string(number);
}

void Builder::Declare(const std::string& name, const Ranks& ranks, const std::string& backend) {
  std::string list;
  for (const int rank : ranks)
    list += (list.empty() ? "" : ",") + std::to_string(rank);
  script_.facts.push_back("comm " + name + " " + list +
                          (backend.empty() ? "" : " backend=" + backend));
  script_.members[name] = ranks;
}

Action Builder::Make(const std::string& verb, const std::string& communicator, const Site& site) {
  static const std::vector<std::string> kFloats = {"f32", "f32", "f16", "bf16", "f64"};
  static const std::vector<std::string> kAny = {"f32", "i64", "i32", "u8", "bf16"};
  static const std::vector<std::string> kRedops = {"sum", "sum", "sum", "max", "avg", "min"};
  Action action;
  action.verb = verb;
  action.communicator = communicator;
  action.site = site;
  if (verb == "barrier") return action;
  const int size = static_cast<int>(script_.members.at(communicator).size());
  // Small ones such as a loss, and large ones such as a bucket of gradients.
  action.count =
      static_cast<std::uint64_t>(random_.Chance(0.3)   ? random_.Between(1, 16)
                                 : random_.Chance(0.7) ? 64 * random_.Between(1, 200)
                                                       : 4096 * random_.Between(30, 400));
  if (verb == "alltoall") action.count *= static_cast<std::uint64_t>(size);
  action.datatype = random_.Pick(Reduces(verb) ? kFloats : kAny);
  if (Reduces(verb)) action.redop = random_.Pick(kRedops);
  if (TakesRoot(verb)) action.root = random_.Chance(0.7) ? 0 : random_.Between(0, size - 1);
  return action;
}

Action Builder::AnyCollective(const std::string& communicator, const Site& site) {
  static const std::vector<std::string> kVerbs = {
      "allreduce", "allreduce",     "allreduce", "broadcast", "reduce",  "allgather",
      "allgather", "reducescatter", "alltoall",  "gather",    "scatter", "barrier"};
  return Make(random_.Pick(kVerbs), communicator, site);
}

std::vector<Action> Builder::UnevenExchange(const Site& site) {
  const auto size = static_cast<std::size_t>(world());
  const bool tells_both = random_.Chance(0.7);
  std::vector<Action> by_rank(size);
  for (Action& action : by_rank) {
    action.verb = "alltoall";
    action.datatype = "bf16";
    action.site = site;
    for (std::size_t to = 0; to < size; ++to)
      action.splits.push_back(random_.Between(0, 9));
    action.splits[random_.Index(size)] += 1;
    action.count =
        static_cast<std::uint64_t>(std::accumulate(action.splits.begin(), action.splits.end(), 0));
  }
  for (std::size_t rank = 0; rank < size && tells_both; ++rank) {
    for (std::size_t from = 0; from < size; ++from)
      by_rank[rank].receives.push_back(by_rank[from].splits[rank]);
  }
  return by_rank;
}

Action Builder::Plain(const std::string& verb, const std::string& word, const Site& site) const {
  Action action;
  action.verb = verb;
  action.word = word;
  action.site = site;
  return action;
}

Action Builder::Transfer(const std::string& verb, std::uint64_t count, int peer,
                         const std::string& communicator, const Site& site) {
  Action action;
  action.verb = verb;
  action.count = count;
  action.datatype = "f32";
  action.peer = peer;
  action.communicator = communicator;
  action.site = site;
  return action;
}

void Builder::Add(const Ranks& ranks, std::vector<Action> actions) {
  script_.nodes.push_back(Step(ranks, std::move(actions)));
}

void Builder::Add(int rounds, std::vector<Node> body) {
  script_.nodes.push_back(Loop(rounds, std::move(body)));
}

void Builder::GoOnInMain(std::vector<Node>* nodes) {
  nodes->push_back(Step(All(), {Plain("late", "0.01", NewSite("main.py", "main"))}));
}

void Builder::AddSync(std::vector<Node>* nodes, const Ranks& ranks, const std::string& functions) {
  if (nccl()) nodes->push_back(Step(ranks, {Plain("sync", "", NewSite("train.py", functions))}));
}

}  // namespace rollcall::tests::generate
