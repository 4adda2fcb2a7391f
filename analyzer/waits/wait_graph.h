// Who waits for whom, as a graph of AND and OR waits. The one header behind which Boost.Graph
// stays.
#pragma once

#include <vector>

namespace rollcall::analyzer {

// Node `from` cannot go on before `to` does.
struct WaitEdge {
  int from = 0, to = 0;
};

struct WaitGraph {
  // What a node needs to go on. A node without edges is free to go on.
  enum class Needs {
    kAll,
    kAny,     // one of them is enough
    kNothing  // never goes on: it has ended
  };
  std::vector<Needs> needs;   // by node
  std::vector<bool> is_call;  // by node: counts for the length of a cycle
  std::vector<WaitEdge> edges;

  int Add(Needs of, bool call) {
    needs.push_back(of);
    is_call.push_back(call);
    return static_cast<int>(needs.size()) - 1;
  }
};

// Nodes that wait for each other in circles and will for ever.
struct WaitCycle {
  std::vector<int> nodes;     // all of the circles that hang together, sorted
  std::vector<int> smallest;  // those on its smallest cycles, sorted
};

// In order of their smallest node.
std::vector<WaitCycle> FindWaitCycles(const WaitGraph& graph);

// Everything that a node waits for, directly or through others, itself included; sorted.
std::vector<int> ReachedFrom(const WaitGraph& graph, const std::vector<int>& nodes);

}  // namespace rollcall::analyzer
