#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/neighbor/method.hpp"
#include "comm/tune/cost_terms.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

/// A row of the family's table, which the docs, the tests, the benchmark and the selection read.
struct NeighborMethodRow {
  MethodInfo info;
  /// Empty where the method works for this rank and these peers, otherwise why not. Local. Without
  /// peers: what can be said of the context alone.
  std::string (*why_unavailable)(const Context& context,
                                 std::span<const NeighborPattern::Peer> peers);
  std::unique_ptr<NeighborMethod> (*make)(const NeighborSetting& setting);
  /// What a rank does in a round. Each link both sends and receives, as patterns usually have it.
  CostTerms (*cost)(const PatternShape& shape);
  /// Whether the ranks can only end it together, by `NeighborMethod::end`.
  bool ends_together;
};

std::span<const NeighborMethodRow> neighbor_method_table();

/// Throws Error with the nearest valid name where there is no such method. "auto" is none.
const NeighborMethodRow& find_neighbor_method(std::string_view name);

}  // namespace sterna::comm
