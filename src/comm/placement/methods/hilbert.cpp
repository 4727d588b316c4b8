// Idea:
//   Ranks along a Hilbert curve through the process grid fill nodes along one through the torus.
// Source:
//   Skilling (2004) gives the curve.
//   Bhatele et al. (2011) survey such mappings onto tori.
// Cost:
//   Groups of any size are compact, so few bytes go between nodes, over few hops, for any shape.
// Hazards:
//   On sizes that are no power of two the curve jumps.
//   On a tree nodes keep their order.
// Others:
//   grid_order wins where bricks of a node's size divide the grid.
//   smp wins with one rank a node.

#include <numeric>

#include "comm/placement/hilbert_curve.hpp"
#include "comm/placement/table.hpp"

namespace sterna::comm {
namespace {

Placement hilbert_placement(const PlacementProblem& problem) {
  std::vector<int> nodes(problem.ranks_on_node.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  if (!problem.network.torus_sizes().empty()) {
    nodes = along_hilbert_curve(problem.network.torus_sizes());
  }
  return fill_nodes(problem, along_hilbert_curve(problem.grid), nodes);
}

constexpr std::string_view hilbert_aliases[] = {"space-filling curve", "Hilbert curve"};

}  // namespace

const PlacementMethodRow placement_method::hilbert{
    .info = {.name = "hilbert",
             .description = "ranks and nodes along space-filling curves",
             .needs = "",
             .aliases = hilbert_aliases},
    .place = hilbert_placement,
};

}  // namespace sterna::comm
