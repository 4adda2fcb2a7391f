#include "analyzer/waits/wait_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace rollcall::analyzer {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph MakeGraph(int nodes, const std::vector<WaitEdge>& edges) {
  Graph graph(static_cast<std::size_t>(nodes));
  for (const WaitEdge& edge : edges) {
    boost::add_edge(static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to), graph);
  }
  return graph;
}

}  // namespace

std::vector<std::vector<int>> WaitCycles(int nodes, const std::vector<WaitEdge>& edges) {
  const Graph graph = MakeGraph(nodes, edges);
  std::vector<int> component(static_cast<std::size_t>(nodes));
  const int count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::vector<int>> members(static_cast<std::size_t>(count));
  for (int node = 0; node < nodes; ++node)
    members[static_cast<std::size_t>(component[static_cast<std::size_t>(node)])].push_back(node);
  std::vector<std::vector<int>> cycles;
  for (std::vector<int>& of : members) {
    const bool to_itself = std::any_of(edges.begin(), edges.end(), [&](const WaitEdge& edge) {
      return edge.from == edge.to && edge.from == of.front();
    });
    if (of.size() > 1 || to_itself) cycles.push_back(std::move(of));
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

}  // namespace rollcall::analyzer
