// The graph of waits by itself: who never goes on, and the smallest cycles among those.
#include "analyzer/waits/wait_graph.h"

#include "tests/catch.h"

namespace rollcall::tests {
namespace {

using analyzer::FindWaitCycles;
using analyzer::WaitGraph;
using Needs = WaitGraph::Needs;
using Nodes = std::vector<int>;

WaitGraph Graph(const std::vector<Needs>& needs, const std::vector<analyzer::WaitEdge>& edges) {
  WaitGraph graph;
  for (const Needs of : needs)
    graph.Add(of, true);
  graph.edges = edges;
  return graph;
}

TEST_CASE("nodes that wait for each other are a cycle, a chain is none") {
  CHECK(FindWaitCycles(Graph({Needs::kAll, Needs::kAll}, {{0, 1}})).empty());
  const auto cycles = FindWaitCycles(Graph({Needs::kAll, Needs::kAll}, {{0, 1}, {1, 0}}));
  REQUIRE(cycles.size() == 1);
  CHECK(cycles[0].smallest == Nodes{0, 1});
}

TEST_CASE("who needs one of several goes on when one is free") {
  // 0 needs 1 or 2; 1 needs 0; 2 is free.
  CHECK(FindWaitCycles(Graph({Needs::kAny, Needs::kAll, Needs::kAll}, {{0, 1}, {0, 2}, {1, 0}}))
            .empty());
  // The same, but 0 needs both.
  CHECK(FindWaitCycles(Graph({Needs::kAll, Needs::kAll, Needs::kAll}, {{0, 1}, {0, 2}, {1, 0}}))
            .size() == 1);
}

TEST_CASE("who needs one of several is stuck when all of them are") {
  const auto cycles = FindWaitCycles(
      Graph({Needs::kAny, Needs::kAll, Needs::kAll}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}));
  REQUIRE(cycles.size() == 1);
  CHECK(cycles[0].nodes == Nodes{0, 1, 2});
}

TEST_CASE("waiting for who has ended is no cycle, and frees nobody") {
  CHECK(FindWaitCycles(Graph({Needs::kAll, Needs::kNothing}, {{0, 1}})).empty());
  CHECK(FindWaitCycles(Graph({Needs::kAll, Needs::kAny, Needs::kNothing}, {{0, 1}, {1, 0}, {1, 2}}))
            .size() == 1);
}

TEST_CASE("of cycles that hang together only the smallest are told") {
  // 0-1 and 0-2-3-4.
  const auto cycles =
      FindWaitCycles(Graph({Needs::kAll, Needs::kAll, Needs::kAll, Needs::kAll, Needs::kAll},
                           {{0, 1}, {1, 0}, {0, 2}, {2, 3}, {3, 4}, {4, 0}}));
  REQUIRE(cycles.size() == 1);
  CHECK(cycles[0].smallest == Nodes{0, 1});
  CHECK(cycles[0].nodes == Nodes{0, 1, 2, 3, 4});
}

TEST_CASE("nodes that are no calls do not make a cycle longer") {
  WaitGraph graph;
  graph.Add(Needs::kAll, true);
  graph.Add(Needs::kAll, true);
  for (int i = 0; i < 3; ++i)
    graph.Add(Needs::kAll, false);
  graph.Add(Needs::kAll, true);
  // 0 -> 1 -> 2 -> 3 -> 4 -> 0 counts two calls, 0 -> 1 -> 5 -> 0 three.
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {1, 5}, {5, 0}};
  const auto cycles = FindWaitCycles(graph);
  REQUIRE(cycles.size() == 1);
  CHECK(cycles[0].smallest == Nodes{0, 1});
}

TEST_CASE("cycles apart are two") {
  CHECK(FindWaitCycles(Graph({Needs::kAll, Needs::kAll, Needs::kAll, Needs::kAll},
                             {{0, 1}, {1, 0}, {2, 3}, {3, 2}}))
            .size() == 2);
}

}  // namespace
}  // namespace rollcall::tests
