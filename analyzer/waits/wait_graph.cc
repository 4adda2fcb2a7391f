#include "analyzer/waits/wait_graph.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <deque>
#include <limits>
#include <utility>

namespace rollcall::analyzer {
namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
using Node = boost::graph_traits<Graph>::vertex_descriptor;

Graph MakeGraph(const WaitGraph& waits, bool backwards) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  pairs.reserve(waits.edges.size());
  for (const WaitEdge& edge : waits.edges) {
    const auto from = static_cast<std::size_t>(edge.from), to = static_cast<std::size_t>(edge.to);
    pairs.emplace_back(backwards ? to : from, backwards ? from : to);
  }
  return {boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), waits.needs.size()};
}

// Nodes that can never go on: not even when everybody who is free does what he is waited for.
std::vector<bool> FindStuck(const WaitGraph& waits) {
  const std::size_t nodes = waits.needs.size();
  const Graph waiters = MakeGraph(waits, true);
  std::vector<int> open(nodes, 0);
  for (const WaitEdge& edge : waits.edges)
    ++open[static_cast<std::size_t>(edge.from)];
  std::vector<bool> stuck(nodes, true);
  std::deque<std::size_t> free;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (open[node] != 0 || waits.needs[node] == WaitGraph::Needs::kNothing) continue;
    stuck[node] = false;
    free.push_back(node);
  }
  while (!free.empty()) {
    const std::size_t node = free.front();
    free.pop_front();
    for (auto [edge, end] = boost::out_edges(node, waiters); edge != end; ++edge) {
      const Node waiter = boost::target(*edge, waiters);
      --open[waiter];
      const bool goes_on = waits.needs[waiter] == WaitGraph::Needs::kAny || open[waiter] == 0;
      if (!goes_on || !stuck[waiter]) continue;
      stuck[waiter] = false;
      free.push_back(waiter);
    }
  }
  return stuck;
}

// Shortest cycles through single nodes, inside of their components.
class ShortestCycles {
 public:
  ShortestCycles(const WaitGraph& waits, const Graph& graph, const std::vector<int>& component)
      : waits_(waits), graph_(graph), component_(component), distance_(component.size(), kNone) {}

  static constexpr int kNone = std::numeric_limits<int>::max();

  // Number of calls on the shortest one; kNone = none that is not longer than `most`.
  int Through(Node start, int most) {
    int found = kNone;
    std::vector<Node> touched = {start};
    std::deque<Node> next = {start};
    distance_[start] = 0;
    while (!next.empty() && found == kNone) {
      const Node node = next.front();
      next.pop_front();
      for (auto [edge, end] = boost::out_edges(node, graph_); edge != end; ++edge) {
        const Node to = boost::target(*edge, graph_);
        const int length = distance_[node] + (waits_.is_call[to] ? 1 : 0);
        if (component_[to] != component_[start] || length > most) continue;
        if (to == start) {
          found = length;
          break;
        }
        if (length >= distance_[to]) continue;
        if (distance_[to] == kNone) touched.push_back(to);
        distance_[to] = length;
        if (waits_.is_call[to]) {
          next.push_back(to);
        } else {
          next.push_front(to);
        }
      }
    }
    for (const Node node : touched)
      distance_[node] = kNone;
    return found;
  }

 private:
  const WaitGraph& waits_;
  const Graph& graph_;
  const std::vector<int>& component_;
  std::vector<int> distance_;
};

}  // namespace

std::vector<WaitCycle> FindWaitCycles(const WaitGraph& waits) {
  const std::vector<bool> stuck = FindStuck(waits);
  WaitGraph rest = waits;
  std::erase_if(rest.edges, [&](const WaitEdge& edge) {
    return !stuck[static_cast<std::size_t>(edge.from)] || !stuck[static_cast<std::size_t>(edge.to)];
  });
  if (rest.edges.empty()) return {};
  const Graph graph = MakeGraph(rest, false);
  std::vector<int> component(rest.needs.size());
  const int count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<WaitCycle> cycles(static_cast<std::size_t>(count));
  for (std::size_t node = 0; node < component.size(); ++node)
    cycles[static_cast<std::size_t>(component[node])].nodes.push_back(static_cast<int>(node));
  std::vector<bool> loops(rest.needs.size(), false);
  for (const WaitEdge& edge : rest.edges) {
    if (edge.from == edge.to) loops[static_cast<std::size_t>(edge.from)] = true;
  }
  std::erase_if(cycles, [&](const WaitCycle& of) {
    return of.nodes.size() == 1 && !loops[static_cast<std::size_t>(of.nodes.front())];
  });
  ShortestCycles shortest(rest, graph, component);
  for (WaitCycle& of : cycles) {
    int least = ShortestCycles::kNone - 1;
    for (const int node : of.nodes) {
      if (!rest.is_call[static_cast<std::size_t>(node)]) continue;
      const int length = shortest.Through(static_cast<Node>(node), least);
      if (length > least) continue;
      if (length < least) of.smallest.clear();
      least = length;
      of.smallest.push_back(node);
    }
  }
  std::sort(cycles.begin(), cycles.end(),
            [](const WaitCycle& a, const WaitCycle& b) { return a.nodes < b.nodes; });
  return cycles;
}

std::vector<int> ReachedFrom(const WaitGraph& waits, const std::vector<int>& nodes) {
  const Graph graph = MakeGraph(waits, false);
  std::vector<bool> seen(waits.needs.size(), false);
  std::vector<int> reached = nodes;
  for (const int node : nodes)
    seen[static_cast<std::size_t>(node)] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (auto [edge, end] = boost::out_edges(static_cast<Node>(reached[i]), graph); edge != end;
         ++edge) {
      const Node to = boost::target(*edge, graph);
      if (seen[to]) continue;
      seen[to] = true;
      reached.push_back(static_cast<int>(to));
    }
  }
  std::sort(reached.begin(), reached.end());
  return reached;
}

}  // namespace rollcall::analyzer
