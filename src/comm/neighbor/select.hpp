#pragma once

#include <span>

#include "comm/family/selection.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

/// The method that `options` name, which is final; for "auto" the one that usually wins among those
/// that work for this pattern on all ranks, and the others as candidates. Collective; throws Error
/// on all ranks for an unknown name, for a named method that does not work here, and where the
/// ranks name different methods.
Selection select_neighbor_method(const Context& context,
                                 std::span<const NeighborPattern::Peer> peers,
                                 const NeighborOptions& options);

extern const TuningRules neighbor_tuning;

}  // namespace sterna::comm
