// Who waits for whom, as a graph. The one header behind which Boost.Graph stays.
#pragma once

#include <vector>

namespace rollcall::analyzer {

struct WaitEdge {
  int from = 0, to = 0;  // from cannot go on before to does
};

// Circles of waits: the strongly connected components with an edge inside, each sorted, in order of
// their smallest node.
std::vector<std::vector<int>> WaitCycles(int nodes, const std::vector<WaitEdge>& edges);

}  // namespace rollcall::analyzer
