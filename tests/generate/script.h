// A job in pieces that can be taken apart: who makes which calls in which loop. TextOf writes it in
// the scenario language (tests/README.md); nothing here knows how it is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rollcall::tests::generate {

using Ranks = std::vector<int>;  // sorted

struct Site {
  std::string file;
  int line = 0;
  std::string functions;  // outermost first: "main>train"

  bool operator==(const Site&) const = default;
  // As findings name it: "train.py:41"; "" = none.
  std::string Line() const;
};

struct Action {
  std::string verb;  // "allreduce", "exit", "group", "capture"
  std::string word;  // what stands right behind the verb: a name, a code, "size=4 id=A"
  // Arguments of calls, where they have them.
  std::uint64_t count = 0;
  std::string datatype, redop;
  int root = -1, peer = -1, tag = -1;
  std::vector<int> splits, receives;  // of an alltoall: to, resp. from, each rank
  std::string communicator = "world";
  int stream = 0, thread = 0, times = 1;
  bool async = false, in_place = false;
  bool in_backward = false;  // made by the framework in a backward pass
  std::string state;         // "!queued"
  Site site;
  std::vector<Action> members;  // of a group or capture

  bool operator==(const Action&) const = default;
};

// A step of some ranks or, with rounds, a loop over a body.
struct Node {
  Ranks ranks;
  std::vector<Action> actions;
  int rounds = 0;
  std::vector<Node> body;

  bool IsLoop() const { return rounds > 0; }
};

struct Script {
  int world = 0;
  bool nccl = false;
  // Looked at while it runs, this long after its last action; 0 = as the player does it.
  double seconds_later = 0;
  std::vector<std::string> facts;        // lines in front of the first statement
  std::map<std::string, Ranks> members;  // of communicators, global ranks by rank in it
  std::vector<Node> nodes;
  // Indices of nodes where nothing is under way: all ranks come from one thing and go to the next.
  std::vector<std::size_t> boundaries;

  Ranks All() const;
  // Calls of the communicator block the host.
  bool Blocks(const std::string& communicator) const;
};

bool IsCollective(const Action& action);
// Leaves a row in the trace: collectives, sends, receives, communicators' life, sync.
bool IsCall(const Action& action);
bool TakesRoot(const std::string& verb);
bool Reduces(const std::string& verb);

std::string TextOf(const Action& action);
std::string TextOf(const Ranks& ranks);
std::string TextOf(const Script& script);

Ranks Without(const Ranks& ranks, const Ranks& others);
bool Contains(const Ranks& ranks, int rank);

}  // namespace rollcall::tests::generate
