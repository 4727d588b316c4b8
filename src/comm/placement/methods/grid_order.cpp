// Idea:
//   The process grid is cut into equal bricks, one a node, with the least surface in bytes.
// Source:
//   It is the "custom by grid order" of Niethammer et al. (ls1 on the Cray XE6): 15.4(6) s there.
// Cost:
//   It sends the fewest bytes between nodes of all bricks that divide the grid.
//   Nodes lie in rows of bricks.
// Hazards:
//   Where no brick of a node's size divides the grid, smaller ones follow one another.
// Others:
//   hilbert wins where bricks are slabs (prime sizes) or the torus has another shape.

#include <algorithm>
#include <limits>
#include <numeric>

#include "comm/placement/table.hpp"

namespace sterna::comm {
namespace {

/// The bytes that a brick sends to other bricks; it sends none across an axis that it fills.
double surface_bytes(const PlacementProblem& problem, const std::array<int, 3>& brick) {
  double bytes = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (brick[axis] == problem.grid[axis]) continue;
    const double face = static_cast<double>(brick[(axis + 1) % 3]) * brick[(axis + 2) % 3];
    bytes += 2.0 * face * problem.face_bytes[axis];
  }
  return bytes;
}

/// Returns the largest brick that divides both the grid and the number of slots of a node. Of
/// several such bricks it is the one that sends least.
std::array<int, 3> best_brick(const PlacementProblem& problem) {
  const int on_node = std::max(1, problem.ranks_on_node.front());
  std::array<int, 3> best{1, 1, 1};
  int best_volume = 0;
  double least = std::numeric_limits<double>::infinity();
  std::array<int, 3> brick{};
  for (brick[0] = 1; brick[0] <= problem.grid[0]; ++brick[0]) {
    if (problem.grid[0] % brick[0] != 0 || on_node % brick[0] != 0) continue;
    for (brick[1] = 1; brick[1] <= problem.grid[1]; ++brick[1]) {
      if (problem.grid[1] % brick[1] != 0 || on_node / brick[0] % brick[1] != 0) continue;
      for (brick[2] = 1; brick[2] <= problem.grid[2]; ++brick[2]) {
        if (problem.grid[2] % brick[2] != 0 || on_node / brick[0] / brick[1] % brick[2] != 0)
          continue;
        const int volume = brick[0] * brick[1] * brick[2];
        const double bytes = surface_bytes(problem, brick);
        if (volume < best_volume || (volume == best_volume && bytes >= least)) continue;
        best = brick;
        best_volume = volume;
        least = bytes;
      }
    }
  }
  return best;
}

Placement grid_order_placement(const PlacementProblem& problem) {
  const std::array<int, 3> brick = best_brick(problem);
  std::vector<int> ranks;
  std::array<int, 3> corner{};
  for (corner[2] = 0; corner[2] < problem.grid[2]; corner[2] += brick[2]) {
    for (corner[1] = 0; corner[1] < problem.grid[1]; corner[1] += brick[1]) {
      for (corner[0] = 0; corner[0] < problem.grid[0]; corner[0] += brick[0]) {
        for (int z = corner[2]; z < corner[2] + brick[2]; ++z) {
          for (int y = corner[1]; y < corner[1] + brick[1]; ++y) {
            for (int x = corner[0]; x < corner[0] + brick[0]; ++x) {
              ranks.push_back(x + problem.grid[0] * (y + problem.grid[1] * z));
            }
          }
        }
      }
    }
  }
  std::vector<int> nodes(problem.ranks_on_node.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return fill_nodes(problem, ranks, nodes);
}

constexpr std::string_view grid_order_aliases[] = {"brick", "custom by grid order"};

}  // namespace

const PlacementMethodRow placement_method::grid_order{
    .info = {.name = "grid_order",
             .description = "a brick of the process grid to each node, bricks in rows",
             .needs = "",
             .aliases = grid_order_aliases},
    .place = grid_order_placement,
};

}  // namespace sterna::comm
