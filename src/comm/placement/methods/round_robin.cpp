// Idea:
//   Rank 0 goes to node 0, rank 1 to node 1, and so on; after the last node again from the first.
// Source:
//   Niethammer et al. (ls1 on the Cray XE6) measured 15.8(7) s, as slow as folded.
// Cost:
//   Neighbors in x are never on one node (with more than one node): the most bytes go between.
// Hazards:
//   It has none; nodes that are full are left out.
// Others:
//   Others win nearly always.
//   This one wins where each rank wants the memory bandwidth of a whole node.

#include "comm/placement/table.hpp"

namespace sterna::comm {
namespace {

Placement round_robin_placement(const PlacementProblem& problem) {
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

constexpr std::string_view round_robin_aliases[] = {"cyclic"};

}  // namespace

const PlacementMethodRow placement_method::round_robin{
    .info = {.name = "round_robin",
             .description = "one rank to each node in turn",
             .needs = "",
             .aliases = round_robin_aliases},
    .place = round_robin_placement,
};

}  // namespace sterna::comm
