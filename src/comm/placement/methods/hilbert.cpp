// Idea: ranks along a Hilbert curve through the process grid fill nodes along one through the
// torus. Paper: Skilling 2004 for the curve; Bhatele et al. 2011 survey such mappings onto tori.
// Cost: compact groups of any size, so few bytes between nodes and few hops, for any shape.
// Hazards: on sizes that are no power of two the curve jumps; on a tree nodes keep their order.
// Another wins: grid_order where bricks of a node's size divide the grid; smp with one rank a node.
#include <numeric>

#include "comm/placement/hilbert_curve.hpp"
#include "comm/placement/table.hpp"

namespace sterna::comm {

Placement place_hilbert(const PlacementProblem& problem) {
  std::vector<int> nodes(problem.ranks_on_node.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  if (!problem.network.torus_sizes().empty()) {
    nodes = along_hilbert_curve(problem.network.torus_sizes());
  }
  return fill_nodes(problem, along_hilbert_curve(problem.grid), nodes);
}

}  // namespace sterna::comm
