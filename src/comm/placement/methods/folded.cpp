// Idea:
//   One rank goes to each node in turn, from the first node to the last, then back again.
// Source:
//   Niethammer et al. (ls1 on the Cray XE6) measured it after Cray's reordering method 2: 15.9(7)
//     s.
// Cost:
//   It costs what round_robin costs, but for the two ranks at each turn, which share a node.
// Hazards:
//   It has none; nodes that are full are left out.
// Others:
//   grid_order or hilbert win wherever a node has several ranks.

#include "comm/placement/table.hpp"

namespace sterna::comm {
namespace {

Placement folded_placement(const PlacementProblem& problem) {
  Placement placement;
  const auto ranks = static_cast<std::size_t>(problem.grid[0]) *
                     static_cast<std::size_t>(problem.grid[1]) *
                     static_cast<std::size_t>(problem.grid[2]);
  const std::size_t nodes = problem.ranks_on_node.size();
  for (int turn = 0; placement.size() < ranks; ++turn) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t node = turn % 2 == 0 ? i : nodes - 1 - i;
      if (placement.size() < ranks && turn < problem.ranks_on_node[node]) {
        placement.push_back(static_cast<int>(node));
      }
    }
  }
  return placement;
}

constexpr std::string_view folded_aliases[] = {"folded rank", "boustrophedon"};

}  // namespace

const PlacementMethodRow placement_method::folded{
    .info = {.name = "folded",
             .description = "one rank to each node in turn, there and back",
             .needs = "",
             .aliases = folded_aliases},
    .place = folded_placement,
};

}  // namespace sterna::comm
