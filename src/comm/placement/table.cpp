#include "comm/placement/table.hpp"

#include <vector>

#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::comm {
namespace {

const PlacementMethodRow table[] = {
    {{"round_robin", "one rank to each node in turn", ""}, place_round_robin},
    {{"smp", "the nodes filled one after the other", ""}, place_smp},
    {{"folded", "one rank to each node in turn, there and back", ""}, place_folded},
    {{"grid_order", "a brick of the process grid to each node, bricks in rows", ""},
     place_grid_order},
    {{"hilbert", "ranks and nodes along space-filling curves", ""}, place_hilbert},
    {{"auto", "of these the one with the fewest bytes between nodes, then the fewest hop-bytes",
      ""},
     place_automatically},
};

}  // namespace

std::span<const PlacementMethodRow> placement_method_table() {
  return table;
}

std::span<const MethodInfo> placement_methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> rows;
    for (const PlacementMethodRow& row : table) rows.push_back(row.info);
    return rows;
  }();
  return infos;
}

}  // namespace sterna::comm
