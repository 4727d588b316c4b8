#pragma once

#include <span>

#include "comm/family/selection.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {

/// Selects the method named by `options`, which is final. For "auto" it selects, of the methods
/// that work for this pattern on all ranks, the one that usually wins, with the others as
/// candidates. Collective. Throws Error on all ranks for an unknown name, for a named method that
/// does not work here, and if the ranks name different methods.
Selection select_neighbor_method(const Context& context,
                                 std::span<const NeighborPattern::Peer> peers,
                                 const NeighborOptions& options);

extern const TuningRules neighbor_tuning;

}  // namespace sterna::comm
