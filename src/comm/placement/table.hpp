#pragma once

#include <span>
#include <string_view>

#include "sterna/comm/placement.hpp"

namespace sterna::comm {

/// A row of the family's table. `place` gets a problem that was checked.
struct PlacementMethodRow {
  MethodInfo info;
  Placement (*place)(const PlacementProblem& problem);
};

std::span<const PlacementMethodRow> placement_method_table();

Placement place_round_robin(const PlacementProblem& problem);
Placement place_smp(const PlacementProblem& problem);
Placement place_folded(const PlacementProblem& problem);
Placement place_grid_order(const PlacementProblem& problem);
Placement place_hilbert(const PlacementProblem& problem);
Placement place_automatically(const PlacementProblem& problem);

/// Fills the nodes, in the order given, up to their room with the ranks, in the order given.
Placement fill_nodes(const PlacementProblem& problem, std::span<const int> ranks,
                     std::span<const int> nodes);

}  // namespace sterna::comm
