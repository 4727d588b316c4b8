#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sterna/comm/context.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

struct NeighborSelection {
  std::string_view method;  ///< a name of the table
  std::string reason;       ///< in words, for the verdict
};

/// The method that `options` name, or for "auto" the one that usually wins among those that work
/// for this pattern on all ranks. Collective; throws Error on all ranks for an unknown name, for a
/// method that does not work here, and where the ranks name different methods.
NeighborSelection select_neighbor_method(const Context& context,
                                         std::span<const NeighborPattern::Peer> peers,
                                         const NeighborOptions& options);

}  // namespace sterna::comm
