#include <fmt/format.h>

#include <cstdint>

#include "comm/placement/table.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

std::size_t ranks_of(const PlacementProblem& problem) {
  std::int64_t ranks = 1;
  for (const int size : problem.grid) {
    if (size < 1) throw Error("placement: the process grid has an empty axis");
    ranks *= size;
    if (ranks > (std::int64_t{1} << 31)) throw Error("placement: too many ranks");
  }
  return static_cast<std::size_t>(ranks);
}

void check(const PlacementProblem& problem) {
  const std::size_t ranks = ranks_of(problem);
  if (problem.ranks_on_node.size() != static_cast<std::size_t>(problem.network.nodes())) {
    throw Error(fmt::format("placement: {} nodes, but the network ({}) has {}",
                            problem.ranks_on_node.size(), problem.network.description(),
                            problem.network.nodes()));
  }
  std::int64_t slots = 0;
  for (const int ranks_here : problem.ranks_on_node) {
    if (ranks_here < 0) throw Error("placement: a node with less than no ranks");
    slots += ranks_here;
  }
  if (slots < static_cast<std::int64_t>(ranks)) {
    throw Error(fmt::format("placement: {} ranks, but the nodes have {} slots", ranks, slots));
  }
}

}  // namespace

Placement place(const PlacementProblem& problem, std::string_view method) {
  check(problem);
  for (const PlacementMethodRow& row : placement_method_table()) {
    if (row.info.name == method) return row.place(problem);
  }
  throw Error(unknown_method_message("placement", method, placement_methods()));
}

PlacementCost cost(const PlacementProblem& problem, const Placement& placement) {
  if (placement.size() != ranks_of(problem)) {
    throw Error(fmt::format("placement: of {} ranks, but the grid has {}", placement.size(),
                            ranks_of(problem)));
  }
  PlacementCost total;
  const auto& grid = problem.grid;
  std::array<int, 3> at{};
  for (const int node : placement) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int step : {1, -1}) {
        std::array<int, 3> to = at;
        to[axis] += step;
        if (to[axis] < 0 || to[axis] >= grid[axis]) {
          if (!problem.periodic[axis]) continue;
          to[axis] = (to[axis] + grid[axis]) % grid[axis];
        }
        const int other =
            placement[static_cast<std::size_t>(to[0]) +
                      static_cast<std::size_t>(grid[0]) *
                          (static_cast<std::size_t>(to[1]) +
                           static_cast<std::size_t>(grid[1]) * static_cast<std::size_t>(to[2]))];
        if (other == node) continue;
        total.bytes_between_nodes += problem.face_bytes[axis];
        total.hop_bytes += problem.face_bytes[axis] * problem.network.hops(node, other);
      }
    }
    for (std::size_t axis = 0; axis < 3 && ++at[axis] == grid[axis]; ++axis) at[axis] = 0;
  }
  return total;
}

Placement fill_nodes(const PlacementProblem& problem, std::span<const int> ranks,
                     std::span<const int> nodes) {
  Placement placement(ranks.size());
  std::size_t next = 0;
  for (const int node : nodes) {
    for (int place = 0; place < problem.ranks_on_node[static_cast<std::size_t>(node)]; ++place) {
      if (next == ranks.size()) return placement;
      placement[static_cast<std::size_t>(ranks[next++])] = node;
    }
  }
  return placement;
}

}  // namespace sterna::comm
