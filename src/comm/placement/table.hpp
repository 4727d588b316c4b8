#pragma once

#include <span>
#include <string_view>

#include "sterna/comm/placement.hpp"

namespace sterna::comm {

/// A row of the family's table. The problem that `place` gets has been checked.
struct PlacementMethodRow {
  MethodInfo info;
  Placement (*place)(const PlacementProblem& problem);
};

/// The rows; each is defined in the method's own file.
namespace placement_method {
#define STERNA_METHOD(name) extern const PlacementMethodRow name;
#include "comm/placement/method_list.inc"
#undef STERNA_METHOD
}  // namespace placement_method

std::span<const PlacementMethodRow> placement_method_table();

/// Fills the nodes in the given order, each with as many ranks as it has slots, in the given order.
Placement fill_nodes(const PlacementProblem& problem, std::span<const int> ranks,
                     std::span<const int> nodes);

}  // namespace sterna::comm
