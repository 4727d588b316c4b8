#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/observe/observer.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Collective. The results of an observer over all ranks, from samples since `first_step`; the same
/// on all ranks.
ObserverReport total_report(const comm::Context& context, Observer& observer,
                            std::int64_t first_step);

/// The state of the observers for a checkpoint: values common to all ranks, and views of this
/// rank's own data, in pieces.
Json state_of_observers(std::span<const std::unique_ptr<Observer>> observers);
std::vector<std::span<const std::byte>> rank_data_of_observers(
    std::span<const std::unique_ptr<Observer>> observers);
/// Collective. Restores that state from any number of ranks' pieces, which are emptied. Returns the
/// names of the observers that start again, because `state` lacks them or their results have
/// another size.
std::vector<std::string> restore_observers(std::span<const std::unique_ptr<Observer>> observers,
                                           const comm::Context& context, const Json& state,
                                           std::span<Observer::History> rank_data);

}  // namespace sterna::md
