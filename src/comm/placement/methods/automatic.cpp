// Idea:
//   Every other method is tried on paper.
//   The one with the fewest bytes between nodes wins, of equals the one with the fewest hop-bytes.
// Source:
//   The measure is that of Niethammer et al. and of Cray's grid_order tool: bytes that leave.
// Cost:
//   It takes six sums over the faces of the grid, once at the start.
// Hazards:
//   Links are not modeled: two placements of equal hop-bytes may differ in contention.
// Others:
//   A measured placement wins where the application's own traffic is not that of faces.

#include <optional>
#include <utility>

#include "comm/placement/table.hpp"

namespace sterna::comm {
namespace {

Placement automatic_placement(const PlacementProblem& problem) {
  Placement best;
  std::optional<std::pair<double, double>> least;
  for (const PlacementMethodRow& row : placement_method_table()) {
    if (row.place == automatic_placement) continue;
    Placement candidate = row.place(problem);
    const PlacementCost its = cost(problem, candidate);
    const std::pair measure{its.bytes_between_nodes, its.hop_bytes};
    if (least && measure >= *least) continue;
    least = measure;
    best = std::move(candidate);
  }
  return best;
}

constexpr std::string_view automatic_aliases[] = {"best on paper"};

}  // namespace

const PlacementMethodRow placement_method::automatic{
    .info = {.name = "auto",
             .description =
                 "of these the one with the fewest bytes between nodes, then the fewest hop-bytes",
             .needs = "",
             .aliases = automatic_aliases},
    .place = automatic_placement,
};

}  // namespace sterna::comm
