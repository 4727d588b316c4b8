// Idea: every other method is tried on paper; fewest bytes between nodes, then fewest hop-bytes.
// Paper: the measure is that of Niethammer et al. and of Cray's grid_order tool: bytes that leave.
// Cost: six sums over the faces of the grid, once at the start.
// Hazards: links are not modelled: two placements of equal hop-bytes may differ in contention.
// Another wins: a measured placement, where the application's own traffic is not that of faces.
#include <optional>
#include <utility>

#include "comm/placement/table.hpp"

namespace sterna::comm {

Placement place_automatically(const PlacementProblem& problem) {
  Placement best;
  std::optional<std::pair<double, double>> least;
  for (const PlacementMethodRow& row : placement_method_table()) {
    if (row.place == place_automatically) continue;
    Placement candidate = row.place(problem);
    const PlacementCost its = cost(problem, candidate);
    const std::pair measure{its.bytes_between_nodes, its.hop_bytes};
    if (least && measure >= *least) continue;
    least = measure;
    best = std::move(candidate);
  }
  return best;
}

}  // namespace sterna::comm
