// Builds a correct job: communicators, lines of code that rise within a file, and calls with random
// arguments that all ranks make alike. The phases of correct_job.h use it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/generate/random.h"
#include "tests/generate/script.h"

namespace rollcall::tests::generate {

class Builder {
 public:
  Builder(Random& random, int world, bool nccl);

  Random& random() { return random_; }
  Script& script() { return script_; }
  bool nccl() const { return script_.nccl; }
  int world() const { return script_.world; }
  Ranks All() const { return script_.All(); }

  // Without what reads in several ways when a fault cuts it off: second threads run ahead of the
  // first one; a call from two functions is one only as it recurs.
  void KeepClear() { is_clear_ = true; }
  bool is_clear() const { return is_clear_; }
  // Some ranks are late in every round of a loop.
  void HaveSlowRanks() { has_slow_ranks_ = true; }
  bool has_slow_ranks() const { return has_slow_ranks_; }

  // A line further down in the file.
  Site NewSite(const std::string& file, const std::string& functions);
  // A name that no communicator, capture or function has yet.
  std::string NewName(const std::string& like);
  // `comm` in front of the first statement.
  void Declare(const std::string& name, const Ranks& ranks, const std::string& backend = "");

  // Any collective operation, with arguments that suit it.
  Action AnyCollective(const std::string& communicator, const Site& site);
  Action Make(const std::string& verb, const std::string& communicator, const Site& site);
  // An alltoall of all ranks, by rank, that sends other numbers to each of them.
  std::vector<Action> UnevenExchange(const Site& site);
  Action Plain(const std::string& verb, const std::string& word, const Site& site) const;
  static Action Transfer(const std::string& verb, std::uint64_t count, int peer,
                         const std::string& communicator, const Site& site);

  void Add(const Ranks& ranks, std::vector<Action> actions);
  void Add(int rounds, std::vector<Node> body);
  // A line of main(), so that what it calls next comes from another line than what it called
  // before.
  void GoOnInMain(std::vector<Node>* nodes);
  // The hosts wait for what is queued; nothing under Gloo.
  void AddSync(std::vector<Node>* nodes, const Ranks& ranks, const std::string& functions);

 private:
  Random& random_;
  Script script_;
  std::map<std::string, int> lines_;  // the last one, by file
  std::map<std::string, int> names_;
  bool is_clear_ = false, has_slow_ranks_ = false;
};

inline Node Step(const Ranks& ranks, std::vector<Action> actions) {
  return {ranks, std::move(actions), 0, {}};
}
inline Node Loop(int rounds, std::vector<Node> body) {
  return {{}, {}, rounds, std::move(body)};
}

}  // namespace rollcall::tests::generate
