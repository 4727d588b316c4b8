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

/// Collective. What an observer found on all ranks, from this step on, which is the same on all.
ObserverReport total_report(const comm::Context& context, Observer& observer,
                            std::int64_t first_step);

/// What a checkpoint keeps of the observers: what is common to all ranks, and views of what this
/// rank alone has, in pieces.
Json state_of_observers(std::span<const std::unique_ptr<Observer>> observers);
std::vector<std::span<const std::byte>> rank_data_of_observers(
    std::span<const std::unique_ptr<Observer>> observers);
/// Collective. The way back, from the pieces of any number of ranks here, which are emptied. Returns
/// the names of observers that begin anew: `state` lacks them, or their results have another size.
std::vector<std::string> restore_observers(std::span<const std::unique_ptr<Observer>> observers,
                                           const comm::Context& context, const Json& state,
                                           std::span<Observer::History> rank_data);

}  // namespace sterna::md
