// Idea: rank 0 to node 0, rank 1 to node 1, ...; after the last node again from the first.
// Paper: Niethammer et al. (ls1 on the Cray XE6): 15.8(7) s there, as slow as folded.
// Cost: neighbors in x are never on one node (with more than one node): the most bytes between.
// Hazards: none; nodes that are full are left out.
// Another wins: nearly always; this one where each rank wants the memory bandwidth of a whole node.
#include "comm/placement/table.hpp"

namespace sterna::comm {

Placement place_round_robin(const PlacementProblem& problem) {
  Placement placement;
  const auto ranks = static_cast<std::size_t>(problem.grid[0]) *
                     static_cast<std::size_t>(problem.grid[1]) *
                     static_cast<std::size_t>(problem.grid[2]);
  for (int turn = 0; placement.size() < ranks; ++turn) {
    for (std::size_t node = 0; node < problem.ranks_on_node.size(); ++node) {
      if (placement.size() < ranks && turn < problem.ranks_on_node[node]) {
        placement.push_back(static_cast<int>(node));
      }
    }
  }
  return placement;
}

}  // namespace sterna::comm
